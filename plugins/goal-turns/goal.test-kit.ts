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

export type Said = FakeAnswer | ((request: ChatRequest) => FakeAnswer);

export interface Options {
  readonly says: readonly Said[];
  readonly config?: object;
  readonly plugins?: readonly Plugin[];
  readonly store?: ReturnType<typeof createMemoryStore>;
  readonly owners?: readonly string[];
}

export const verdict = (word: string, why = "It was seen."): FakeAnswer => ({
  calls: [{ name: "goal_verdict", args: { verdict: word, why } }],
});

/** Starts a host with /goal and a channel whose owner is alice. */
export async function start(options: Options) {
  const { says, config, plugins = [], store = createMemoryStore(), owners = ["alice"] } = options;
  const channel = fakeChannel("fake", { owners });
  const model = fakeProvider([...says]);
  const words = await bundledPlugin("slash-words");
  const all = [plugin, model, channel, words, memoryStore(store), ...plugins];
  const t = await startTestHost({ plugins: all, config: { ...config } });
  return Object.assign(t, { channel, model });
}

/** Makes a tool that runs commands by a list of how they end. */
export function commands(ran: string[], ...ends: readonly boolean[]): Plugin {
  const run = async ({ args }: { readonly args: { readonly command: string } }) => {
    const isWell = ends[Math.min(ran.length, ends.length - 1)] === true;
    ran.push(args.command);
    return { text: isWell ? "0 failed" : "3 failed", failed: !isWell };
  };
  return tool("sh", run, { atTerminal: "command", effects: () => ({}) });
}

export const lastOf = ({ messages }: ChatRequest): string => textOf(messages.at(-1)?.parts ?? []);
