import { Commands } from "@gantry/sdk";
import { checkPlugin, fakeProvider, runCommand, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

test("SDK-20: a program asks on stdin and is answered on stdout, line by line", async () => {
  const model = fakeProvider(["At noon.", "In Oslo."]);
  await using t = await startTestHost({ plugins: [plugin, model] });
  const lines = t.slot(Commands).get("lines")!;
  const input = ['{"id":1,"ask":"When?"}', "", "When?", '{"id":"b","ask":"Where?"}'];
  const { code, out } = await runCommand(lines, { input });
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
