import { AuditSinks, definePlugin, ResultFilters, type Plugin } from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { tool } from "./helpers/plugins.ts";

const ends = (t: TestHost) =>
  t.audit.flatMap(({ event_type, result }) => (event_type === "tool_result" ? [result] : []));

async function ended(plugin: Plugin, ...more: readonly Plugin[]): Promise<readonly string[]> {
  await using t = await startTestHost({ plugins: [plugin, ...more] });
  await t.call("work", {});
  return ends(t);
}

const coded = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("The disk is full."), { code: "DISK_FULL", exit: 1 }));

test.for([
  ["was done", tool("work", async () => "well"), "done"],
  ["failed", tool("work", coded), "failed: DISK_FULL"],
  ["did its work without success", tool("work", async () => ({ text: "no", failed: true })), "failed"],
  ["ran out of time", tool("work", () => new Promise(() => {}), { timeoutMs: 30 }), "failed: TOOL_TIMEOUT"],
] as const)("FLR-28: the audit tells of a call that it %s", async ([, plugin, end]) => {
  expect(await ended(plugin)).toEqual([end]);
});

test("FLR-28: the audit tells that a call's result was withheld", async () => {
  const filter = definePlugin({
    name: "filter-broken",
    provides: [ResultFilters],
    setup: (host) =>
      host.provide(ResultFilters, { name: "broken", filter: () => Promise.reject(new Error("broken")) }),
  });
  const work = tool("work", async () => "well");
  expect(await ended(work, filter)).toEqual(["failed: RESULT_WITHHELD"]);
});

test("FLR-28: the record of an end names caller, conversation and arguments as that of its call", async () => {
  const model = fakeProvider([{ calls: [{ name: "work", args: { a: 1 } }] }, "done"]);
  const work = tool("work", async () => "well");
  await using t = await startTestHost({ plugins: [work, model, memoryStore()] });
  await t.ask("go");
  const [call, end] = t.audit.filter(({ event_type }) => event_type.startsWith("tool_"));
  const { timestamp: _, event_type: __, result: ___, ...same } = call!;
  expect(end).toMatchObject({ ...same, event_type: "tool_result", result: "done" });
});

test("FLR-28: a call that is refused has no end", async () => {
  await using t = await startTestHost({ plugins: [] });
  expect(await t.call("work", {})).toMatchObject({ decision: "failed" });
  expect(ends(t)).toEqual([]);
});

test("FLR-28: an end that cannot be recorded hides no result, and is an error in the log", async () => {
  const sink = definePlugin({
    name: "audit-torn",
    provides: [AuditSinks],
    setup: (host) =>
      host.provide(AuditSinks, {
        name: "torn",
        async write({ event_type }) {
          if (event_type === "tool_result") throw new Error("full");
        },
      }),
  });
  await using t = await startTestHost({ plugins: [tool("work", async () => "well"), sink] });
  expect(await t.call("work", {})).toMatchObject({ decision: "allowed", text: "well" });
  expect(t.logs).toMatchObject([{ level: "error", detail: { code: "AUDIT_FAILED", tool: "work" } }]);
});
