import { writeFileSync } from "node:fs";
import path from "node:path";
import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { memoryStore, startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import guard from "./index.ts";

/** Tools, one of which writes `notes` and ignores its signal: it answers when `gate` resolves. */
const tools = (started: () => void, gate: Promise<unknown>, timeoutMs: number) =>
  definePlugin({
    name: "tool-some",
    provides: [Tools],
    setup(host) {
      const about = { description: "A tool.", input: Type.Object({}), run: async () => "done" };
      const read = { path: "notes", access: "read" } as const;
      const all = [
        defineTool({ ...about, name: "page_get", effects: () => ({ urls: ["https://news.example/"] }) }),
        defineTool({ ...about, name: "notes_read", effects: () => ({ paths: [read] }) }),
        defineTool({ ...about, name: "mail_send", effects: () => ({ recipients: ["bob"] }) }),
        defineTool({
          ...about,
          name: "slow",
          timeoutMs,
          effects: () => ({}),
          async run({ cwd }) {
            started();
            await gate;
            const file = path.join(cwd, "notes");
            writeFileSync(file, "page\n");
            return { text: "written", failed: false, wrote: [file] };
          },
        }),
      ];
      for (const tool of all) host.provide(Tools, tool);
    },
  });

test.for([
  ["a turn that was stopped", "TURN_CANCELLED", 60_000],
  ["a tool whose time was up", "TOOL_TIMEOUT", 1],
] as const)("FLR-04: what %s wrote is material", async ([, expected, timeoutMs]) => {
  const [started, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const plugins = [guard, tools(started.resolve, gate.promise, timeoutMs), memoryStore()];
  await using t = await startTestHost({ plugins });
  await t.call("page_get", {}, { session: "one" });
  const stopping = new AbortController();
  const called = t.call("slow", {}, { session: "one", signal: stopping.signal });
  await started.promise;
  if (expected === "TURN_CANCELLED") stopping.abort();
  expect(await called).toMatchObject({ code: expected });
  gate.resolve();
  let readers = 0;
  const sentAfterReading = async (): Promise<string> => {
    const session = `reader ${readers++}`;
    await t.call("notes_read", {}, { session });
    const { code, decision } = await t.call("mail_send", {}, { session });
    return code ?? decision;
  };
  await expect.poll(sentAfterReading).toBe("APPROVAL_NO_PERSON");
});
