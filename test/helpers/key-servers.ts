import { vi } from "vitest";
import type { Plugin } from "@gantry/sdk";
import { memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import doctor from "../../plugins/command-doctor/index.ts";
import models from "../../plugins/command-models/index.ts";
import net from "../../plugins/net-undici/index.ts";
import chat from "../../plugins/provider-chat-completions/index.ts";
import genlang from "../../plugins/provider-genlang/index.ts";
import messages from "../../plugins/provider-messages/index.ts";
import router from "../../plugins/provider-router/index.ts";
import { answerInEveryFormat } from "./formats.ts";
import { json, serveModel, type Asked, type ModelServer } from "./model-server.ts";

/** Variables that providers take keys from. */
const variables = [
  "SERVICE_API_KEY",
  "API_KEY",
  "GENLANG_API_KEY",
  "CLOUDVENDOR_API_KEY",
  "HOSTEDLLM_API_KEY",
  "LOCALA_API_KEY",
  "GROQ_API_KEY",
];

/** Leaves only these variables set, each to its own name, and no login of this machine. */
export function stubKeys(...names: readonly string[]): void {
  for (const name of variables) vi.stubEnv(name, names.includes(name) ? name : undefined);
  vi.stubEnv("HOME", "/nonexistent");
}

/** Returns the key that a request brought, in its header or its query. */
const keyIn = ({ headers, path }: Asked): string | null =>
  headers.authorization?.replace("Bearer ", "") ?? new URL(path, "http://h").searchParams.get("key");

export interface KeyServer extends ModelServer {
  /** The id of a provider of this server that speaks chat completions. */
  readonly custom: string;
  /** The id of a provider of this server that speaks messages. */
  readonly messages: string;
  /** The keys that came, in order; null for a request without one. */
  keys(): readonly (string | null)[];
}

/** A server of every format that gives each answer this status. */
export async function serveKeys(status = 200): Promise<KeyServer> {
  const data = [{ id: "m", name: "models/m" }];
  const server = await serveModel((_, response) =>
    json(response, status, { ...answerInEveryFormat, data, models: data }),
  );
  return Object.assign(server, {
    custom: `custom:${server.origin}/v1`,
    messages: `messages-custom:${server.origin}`,
    keys: () => server.asked.map(keyIn),
  });
}

const plugins: readonly Plugin[] = [net, chat, messages, genlang, router, models, doctor];

/** Starts a host with every provider that takes a key, over the real HTTP client. */
export const startKeyed = (config: object): Promise<TestHost> =>
  startTestHost({ plugins: [...plugins, memoryStore()], config: { default_model: "m", ...config } });

export const fallbacks = (...ids: string[]) => ({ reliability: { fallback_providers: ids } });
