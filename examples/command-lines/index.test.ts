import { Commands, type CommandInput } from "@gantry/sdk";
import { checkPlugin, fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

/** Stdin with these lines in it. */
const typed = (...lines: readonly string[]): CommandInput => ({
  bytes: async function* () {},
  lines: async function* () {
    yield* lines;
  },
});

test("SDK-20: a program asks on stdin and is answered on stdout, line by line", async () => {
  const model = fakeProvider(["At noon.", "In Oslo."]);
  await using t = await startTestHost({ plugins: [plugin, model] });
  const out: string[] = [];
  const code = await t
    .slot(Commands)
    .get("lines")!
    .run({
      args: [],
      options: {},
      input: typed('{"id":1,"ask":"When?"}', "", "When?", '{"id":"b","ask":"Where?"}'),
      interactive: false,
      signal: new AbortController().signal,
      out: (line) => void out.push(line),
      err: () => {},
      serve: async () => 0,
    });
  expect([code, ...out.map((line) => JSON.parse(line))]).toEqual([
    0,
    { id: 1, reply: "At noon." },
    { error: expect.stringContaining("not a question") },
    { id: "b", reply: "In Oslo." },
  ]);
});

test("SDK-20: the command keeps the contract of its kind", async () => {
  const { findings } = await checkPlugin({ plugin });
  expect(findings).toEqual([]);
});
