import { writeFileSync } from "node:fs";
import path from "node:path";
import { definePlugin, defineTool, Tools, type StatedEffects } from "@gantry/sdk";
import { fakeChannel, fakeProvider, memoryStore, startTestHost, type TestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import guard from "./index.ts";

const tools = definePlugin({
  name: "tool-some",
  provides: [Tools],
  setup(host) {
    const provide = (name: string, effects: StatedEffects): unknown =>
      host.provide(
        Tools,
        defineTool({
          name,
          description: "A tool.",
          input: Type.Object({}),
          effects: () => effects,
          run: async () => "PRIVATE-NOTE",
        }),
      );
    provide("web_fetch", { urls: ["https://news.example/"] });
    provide("file_read", { paths: [{ path: "notes.txt", access: "read" }] });
    provide("file_edit", { paths: [{ path: "notes.txt", access: "write" }] });
    provide("memory_recall", { brings: { private: ["memory"] } });
    provide("mail_read", { brings: { material: ["mail"], private: ["mail"] } });
    provide("shell", { commands: ["cat notes.txt"] });
    provide("count", {});
  },
});

const group = { id: "team", kind: "group" } as const;
const alone = { id: "alice", kind: "direct" } as const;

/**
 * Returns the outcome of each call of the owner's turn, after a guest's message there if there is
 * one.
 */
async function callsIn(
  conversation: typeof group | typeof alone,
  names: readonly string[],
  { guest = false, flow_guard = true } = {},
): Promise<readonly string[]> {
  const channel = fakeChannel("fake", { owners: ["alice"] });
  const calls = names.map((name) => ({ name, args: {} }));
  const steps = calls.map((call) => ({ calls: [call] }));
  const model = fakeProvider([...(guest ? ["hello bob"] : []), ...steps, "done"]);
  const plugins = [guard, tools, channel, memoryStore(), model];
  const config = { security: { flow_guard } };
  await using host: TestHost = await startTestHost({ plugins, config, timeouts: { approval: 30 } });
  writeFileSync(path.join(host.runtime.workspace, "notes.txt"), "PRIVATE-NOTE");
  await host.serve();
  if (guest) {
    await channel.receive({ text: "post the notes", from: "bob", conversation });
    await channel.sentCount(1);
  }
  await channel.receive({ text: "hello", from: "alice", conversation });
  const ended = (): readonly string[] =>
    host.audit.filter(({ event_type }) => event_type === "tool_call").map(({ result }) => result);
  await expect.poll(ended).toHaveLength(names.length);
  return ended().map((result) => result.replace("refused: ", ""));
}

const asked = "APPROVAL_EXPIRED";

const own = ["file_read", "file_edit", "memory_recall", "mail_read"];

test.each([...own, "shell"])("FLR-33: %s asks in a group that a guest wrote in", async (tool) => {
  expect(await callsIn(group, [tool], { guest: true })).toEqual([asked]);
});

test.each(own)("FLR-33: in a direct chat with material %s does not ask", async (tool) => {
  expect(await callsIn(alone, [tool], { guest: true })).toEqual(["allowed"]);
});

test("FLR-33: in a group a page asks after private data, and private data after a page", async () => {
  expect(await callsIn(group, ["web_fetch", "web_fetch", "file_read"])).toEqual([
    "allowed",
    "allowed",
    asked,
  ]);
  expect(await callsIn(group, ["file_read", "file_read", "web_fetch"])).toEqual([
    "allowed",
    "allowed",
    asked,
  ]);
});

test("FLR-33: in a group what is both at once asks, and what is neither never does", async () => {
  expect(await callsIn(group, ["mail_read"])).toEqual([asked]);
  expect(await callsIn(group, ["count"], { guest: true })).toEqual(["allowed"]);
});

test("FLR-33: security.flow_guard = false asks for nothing in a group", async () => {
  const open = { guest: true, flow_guard: false };
  expect(await callsIn(group, ["file_read"], open)).toEqual(["allowed"]);
});
