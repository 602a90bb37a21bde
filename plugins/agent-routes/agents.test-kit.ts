import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "@gantry/sdk";
import {
  bundledPlugin,
  fakeChannel,
  memoryStore,
  startTestHost,
  type FakeChannel,
  type TestHost,
} from "@gantry/sdk/testing";
import { vi } from "vitest";
import { startModel, type Answer, type ModelServer } from "../../test/helpers/model.ts";
import plugin from "./index.ts";

const names = [
  "guard-autonomy",
  "guard-commands",
  "guard-paths",
  "net-undici",
  "prompt-instructions",
  "provider-chat-completions",
  "sandbox-landlock",
  "slash-words",
  "tool-files",
  "tool-memory",
  "tool-shell",
];

/** A host with the agents of a configuration, a channel, and a model on loopback. */
export interface AgentHost extends AsyncDisposable {
  readonly t: TestHost;
  readonly channel: FakeChannel;
  readonly model: ModelServer;
  /** One message of somebody, and the answer that it gets. */
  say(text: string, from?: string): Promise<string>;
  /** The system prompt, the names of the tools and all else of a request to the model. */
  request(at: number): { readonly text: string; readonly tools: readonly string[]; readonly model: string };
  /** The last result of a tool that the model was told. */
  lastResult(): string;
}

export async function startAgents(
  config: Readonly<Record<string, unknown>>,
  script: readonly Answer[],
  more: readonly Plugin[] = [],
): Promise<AgentHost> {
  vi.stubEnv("SERVICE_ALLOW_INSECURE_LOOPBACK", "1");
  const model = await startModel(...script);
  const channel = fakeChannel("fake", { owners: ["alice", "anna"] });
  const bundled = await Promise.all(names.map(bundledPlugin));
  const t = await startTestHost({
    plugins: [...bundled, plugin, memoryStore(), channel, ...more],
    config: { default_provider: model.provider, default_model: "usual", api_key: "key-of-a-test", ...config },
  });
  await t.serve();
  return {
    t,
    channel,
    model,
    async say(text, from = "alice") {
      const count = channel.sent.length + 1;
      await channel.receive({ text, from });
      await channel.sentCount(count);
      return channel.sent.at(-1)?.text ?? "";
    },
    request(at) {
      const found = model.requests.at(at) as unknown as {
        model: string;
        messages: unknown;
        tools?: readonly { function: { name: string } }[];
      };
      const tools = (found.tools ?? []).map(({ function: { name } }) => name);
      return { text: JSON.stringify(found.messages), tools, model: found.model };
    },
    lastResult: () => {
      const all = model.requests.flatMap(({ messages }) => messages).filter(({ role }) => role === "tool");
      return JSON.stringify(all.at(-1)?.content);
    },
    async [Symbol.asyncDispose]() {
      await t.stop();
      await model[Symbol.asyncDispose]();
      vi.unstubAllEnvs();
    },
  };
}

/** Makes a file of the workspace, with the folders on its way. */
export function put(t: TestHost, name: string, text: string): void {
  const file = path.join(t.runtime.workspace, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** An answer of the model that calls one tool. */
export function call(name: string, args: object): Answer {
  return { calls: [{ name, args }] };
}
