import { textOf, type ChatRequest, type Plugin } from "@gantry/sdk";
import {
  bundledPlugin,
  createMemoryStore,
  fakeChannel,
  fakeProvider,
  memoryStore,
  startTestHost,
  type FakeAnswer,
} from "@gantry/sdk/testing";
import { tool } from "../../test/helpers/plugins.ts";
import plugin from "./index.ts";

/** Returns what the newest message of a request says. */
export function lastOf({ messages }: ChatRequest): string {
  return textOf(messages.at(-1)?.parts ?? []);
}

/** True for a request of a task that was handed on. */
export function isTask({ messages }: ChatRequest): boolean {
  return textOf(messages[0]?.parts ?? []).includes("You were handed one task");
}

export interface Options {
  /** The answers of the parent, in order; the last one again and again. */
  readonly parent: readonly (FakeAnswer | ((request: ChatRequest) => FakeAnswer))[];
  readonly task: (request: ChatRequest) => FakeAnswer;
  readonly config?: object;
  readonly plugins?: readonly Plugin[];
  readonly store?: ReturnType<typeof createMemoryStore>;
}

/**
 * A host whose model answers for a parent and for its tasks, with a channel of which alice is the
 * owner.
 */
export async function startDelegating(options: Options) {
  const { parent, task, config, plugins = [], store = createMemoryStore() } = options;
  let at = 0;
  const model = fakeProvider([
    (request) => {
      if (isTask(request)) return task(request);
      const answer = parent[Math.min(at, parent.length - 1)] ?? "";
      at += 1;
      return typeof answer === "function" ? answer(request) : answer;
    },
  ]);
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const words = await bundledPlugin("slash-words");
  const tools = [tool("look", async () => "* * *"), tool("burn", async () => "ash")];
  const own = [plugin, model, channel, words, memoryStore(store), ...tools];
  const t = await startTestHost({ plugins: [...own, ...plugins], config: { ...config } });
  await t.serve();
  return Object.assign(t, {
    model,
    channel,
    async say(text: string) {
      const count = channel.sent.length + 1;
      await channel.receive({ text, from: "alice" });
      await channel.sentCount(count);
      return channel.sent.at(-1)?.text ?? "";
    },
  });
}

/** An answer that calls `delegate`. */
export function delegate(...args: readonly object[]): FakeAnswer {
  return { calls: args.map((one) => ({ name: "delegate", args: one })) };
}
