import type { Plugin } from "@gantry/sdk";
import { fakeProvider, memoryStore, type FakeProvider, type FakeScript } from "@gantry/sdk/testing";
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

/** A gateway with one paired device, and the official client on it; the model says what `script` says. */
export async function start(
  script: FakeScript,
  openai: object = {},
  more: readonly Plugin[] = [],
): Promise<OpenAIGateway> {
  const model = fakeProvider(script);
  const plugins = [memoryStore(), model, plugin, tool("clock", async () => "noon"), ...more];
  const gateway = await startGateway({ plugins, gateway: { openai } });
  const { token } = await gateway.pair("laptop");
  const baseURL = `${gateway.url}/v1`;
  const client = new OpenAI({ baseURL, apiKey: token, maxRetries: 0 });
  return Object.assign(gateway, { model, token, baseURL, client });
}
