import {
  AuditSinks,
  Commands,
  definePlugin,
  textParts,
  type AuditEvent,
  type CommandContext,
} from "@gantry/sdk";
import { createMemoryStore, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

async function start(auditFails = false) {
  const store = createMemoryStore();
  const records: AuditEvent[] = [];
  const watch = definePlugin({
    name: "audit-watch",
    taps: ["onAuditEvent"],
    provides: [AuditSinks],
    setup(host) {
      host.hooks.onAuditEvent.tap((event) => void records.push(event));
      host.provide(AuditSinks, {
        name: host.name,
        write: () => (auditFails ? Promise.reject(new Error("full")) : Promise.resolve()),
      });
    },
  });
  const t = await startTestHost({ plugins: [plugin, watch, memoryStore(store)] });
  const run = async (name: string, args: readonly string[] = [], options: CommandContext["options"] = {}) => {
    const out: string[] = [];
    const err: string[] = [];
    const context = {
      args,
      options,
      out: (line: string) => void out.push(line),
      err: (line: string) => void err.push(line),
    };
    const command = t.slot(Commands).get(`sessions ${name}`);
    await command?.run({
      ...context,
      interactive: false,
      signal: AbortSignal.timeout(60_000),
      serve: async () => 1,
    });
    return { out: out.join("\n"), err: err.join("\n") };
  };
  await store.sessions.open("telegram:42", "telegram:42");
  await store.sessions.append("telegram:42", [
    { role: "user", parts: textParts("my dog is \u001b[2JRex"), at: 0 },
    { role: "assistant", parts: [], toolCalls: [{ id: "1", name: "memory_store", args: "{}" }] },
    { role: "tool", callId: "1", name: "memory_store", parts: textParts("kept"), failed: false },
    { role: "assistant", parts: textParts("Hello Rex."), toolCalls: [] },
  ]);
  return Object.assign(t, { store, run, records });
}

test("CTX-05: sessions list names the conversations and whose they are, as lines and as JSON", async () => {
  await using t = await start();
  expect((await t.run("list")).out).toMatch(/^telegram:42 {2}1 turn {2}\d{4}-\S+ {2}telegram:42$/);
  expect(JSON.parse((await t.run("list", [], { json: true })).out)).toMatchObject([
    { id: "telegram:42", turns: 1 },
  ]);
  expect((await t.run("list", [], { user: "telegram:1" })).err).toBe("There is no conversation.");
});

test("CTX-05: sessions show prints what was said, safe for a terminal; export gives all of it", async () => {
  await using t = await start();
  expect((await t.run("show", ["telegram:42"])).out.split("\n")).toEqual([
    "> my dog is \\u001b[2JRex (1970-01-01T00:00:00.000Z)",
    "  memory_store {}",
    "  memory_store: kept",
    "Hello Rex.",
  ]);
  const exported = JSON.parse((await t.run("export", ["telegram:42"])).out);
  expect(exported).toMatchObject({ id: "telegram:42", owner: "telegram:42", shared_with: [] });
  expect(exported.messages).toHaveLength(4);
  await expect(t.run("show", ["nobody"])).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
});

test("SEC-17: sessions share lets one person in and takes it back", async () => {
  await using t = await start();
  await t.run("share", ["telegram:42", "http:d1"]);
  expect((await t.store.sessions.access("telegram:42"))?.sharedWith).toEqual(["http:d1"]);
  await t.run("share", ["telegram:42", "http:d1"], { takeBack: true });
  expect((await t.store.sessions.access("telegram:42"))?.sharedWith).toEqual([]);
  await expect(t.run("share", ["nobody", "http:d1"])).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  await expect(t.run("share", ["telegram:42", "somebody"])).rejects.toMatchObject({ code: "SESSION_USER" });
});

test("CTX-05: sessions remove takes one conversation, or all there is of a person", async () => {
  await using t = await start();
  await t.store.memory.remember("telegram:42", "a dog called Rex");
  await expect(t.run("remove")).rejects.toMatchObject({ code: "SESSION_WHICH" });
  await expect(t.run("remove", ["nobody"])).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  expect((await t.run("remove", [], { user: "telegram:42" })).err).toBe(
    "Removed of telegram:42: 1 conversation, 1 memory, 0 messages.",
  );
  expect(await t.store.memory.recall("telegram:42", "dog", 5)).toEqual([]);
  expect((await t.run("list")).out).toBe("");
});

test("OPS-03: the audit says that a person is erased and was, with what there was; what it cannot say is not removed", async () => {
  await using t = await start();
  await t.store.sessions.open("chat", "http:d1");
  await t.run("remove", ["chat"]);
  await t.run("remove", [], { user: "telegram:42" });
  const removed = { event_type: "erasure", user: "owner", session_id: "chat" };
  const erased = { event_type: "erasure", user: "telegram:42", session_id: "" };
  expect(t.records).toMatchObject([
    { ...removed, args: {}, result: "conversation is removed" },
    { ...erased, args: { by: "owner" }, result: "person is erased" },
    {
      ...erased,
      args: { by: "owner", sessions: 1, memories: 0, messages: 0 },
      result: "person was erased",
    },
  ]);
  await using closed = await start(true);
  for (const [args, options] of [
    [["telegram:42"], {}],
    [[], { user: "telegram:42" }],
  ] as const)
    await expect(closed.run("remove", args, options)).rejects.toMatchObject({ code: "AUDIT_FAILED" });
  expect((await closed.run("list")).out).toContain("telegram:42");
});
