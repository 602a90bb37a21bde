import type { Plugin } from "@gantry/sdk";
import {
  fakeProvider,
  memoryStore,
  type FakeProvider,
  type FakeScript,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import OpenAI from "openai";
import { startGateway, type TestGateway } from "../gateway-http/gateway.test-kit.ts";
import { tool } from "../../test/helpers/plugins.ts";
import plugin from "./index.ts";

export interface OpenAIGateway extends TestGateway {
  readonly model: FakeProvider;
  readonly token: string;
  readonly baseURL: string;
  readonly client: OpenAI;
}

interface Surroundings extends Partial<Pick<TestHostOptions, "configDir" | "config">> {
  /** Default: one in memory. */
  readonly store?: Plugin;
  /** The token of a device that is paired already. */
  readonly token?: string;
}

/**
 * Starts a gateway with one paired device, and the official client on it; the model says what
 * `script` says.
 */
export async function start(
  script: FakeScript,
  openai: object = {},
  more: readonly Plugin[] = [],
  { store = memoryStore(), token: known, ...rest }: Surroundings = {},
): Promise<OpenAIGateway> {
  const model = fakeProvider(script);
  const plugins = [store, model, plugin, tool("clock", async () => "noon"), ...more];
  const gateway = await startGateway({ plugins, gateway: { openai }, ...rest });
  const token = known ?? (await gateway.pair("laptop")).token;
  const baseURL = `${gateway.url}/v1`;
  const client = new OpenAI({ baseURL, apiKey: token, maxRetries: 0 });
  return Object.assign(gateway, { model, token, baseURL, client });
}

/** Pairs another device. */
export async function another(gateway: OpenAIGateway): Promise<{ client: OpenAI; token: string }> {
  const { token } = await gateway.pair("phone");
  return { client: new OpenAI({ baseURL: gateway.baseURL, apiKey: token, maxRetries: 0 }), token };
}
