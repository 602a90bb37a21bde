import {
  ask,
  Commands,
  definePlugin,
  defineTool,
  directMessage,
  Inbox,
  messageFrom,
  Routes,
  Tools,
  type InboundMessage,
  type RouteReply,
  type RouteRequest,
} from "@gantry/sdk";
import { callRoute, fakeProvider, runCommand, startTestHost } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";

const house = definePlugin({
  name: "tool-house",
  provides: [Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    const name = "enter";
    const input = Type.Object({});
    host.provide(Tools, defineTool({ name, description: name, input, run: async () => "inside" }));
    host.hooks.beforeToolCall.tap(() => ask({ code: "DOOR", message: "May I?" }));
  },
});

/** A plugin whose word and route say yes to a call, in the name of whoever asked for it. */
function porter(make: (run: RouteRequest) => InboundMessage = (run) => messageFrom(run, "")) {
  return definePlugin({
    name: "porter",
    needs: { inbox: Inbox },
    provides: [Commands, Routes],
    setup(host) {
      const { inbox } = host.needs;
      const enter = { tool: "enter", args: {}, approvals: "yes" } as const;
      const word = async (run: Parameters<typeof messageFrom>[0], signal: AbortSignal) =>
        (await inbox.call?.(messageFrom(run, ""), { ...enter, signal }))?.text ?? "";
      host.provide(Commands, {
        name: "porter",
        summary: "enters",
        async run(run) {
          run.out(await word(run, run.signal));
          return 0;
        },
      });
      const handle = async (request: RouteRequest): Promise<RouteReply> => {
        const outcome = await inbox.call?.(make(request), { ...enter, signal: request.signal });
        return { status: 200, body: outcome };
      };
      const summary = "enters";
      const route = { method: "GET", summary, handle } as const;
      host.provide(Routes, { ...route, name: "own", path: "/own", auth: "token", may: "decide" });
      host.provide(Routes, { ...route, name: "open", path: "/open", auth: "none" });
    },
  });
}

/** Returns who did what, as the audit names them. */
function named(audit: readonly { event_type: string; user: string; result: string }[]) {
  const told = audit.filter(({ event_type }) => event_type === "approval" || event_type === "tool_call");
  return told.map(({ user, result }) => `${user}: ${result}`);
}

test("SDK-14: the audit names the person at the terminal, and the plugin that said yes", async () => {
  await using t = await startTestHost({ plugins: [porter(), house] });
  const ran = await runCommand(t.slot(Commands).get("porter")!, { user: "cli:ada" });
  expect(ran.out).toEqual(["inside"]);
  expect(named(t.audit)).toContain("cli:ada: allow by the plugin porter");
  expect(named(t.audit).every((line) => line.startsWith("cli:ada: "))).toBe(true);
});

test("SDK-14: the audit names the device behind a route, and the plugin that said yes", async () => {
  await using t = await startTestHost({ plugins: [porter(), house] });
  await callRoute(t.slot(Routes).get("own")!, { device: "phone" });
  expect(named(t.audit)).toContain("http:phone: allow by the plugin porter");
});

/** A message that names another plugin as the one that has brought it. */
function lying(): InboundMessage {
  const message = directMessage({ channel: "http", id: "1", from: "me", text: "", trust: "owner" });
  return { ...message, by: "somebody-else" };
}

test("SDK-14: no message says itself which plugin has brought it", async () => {
  await using t = await startTestHost({ plugins: [porter(lying), house] });
  await callRoute(t.slot(Routes).get("own")!);
  expect(named(t.audit)).toContain("http:me: allow by the plugin porter");
});

test("SDK-14: a person's own yes at the terminal stays --yes", async () => {
  const model = fakeProvider([{ calls: [{ name: "enter", args: {} }] }, "done"]);
  await using t = await startTestHost({ plugins: [house, model] });
  await t.ask("go in", { approvals: "yes" });
  expect(named(t.audit).some((line) => line.endsWith(": allow by --yes"))).toBe(true);
});

test("SDK-21: a route without a token speaks for nobody, and says so", async () => {
  await using t = await startTestHost({ plugins: [porter(), house] });
  const answer = await callRoute(t.slot(Routes).get("open")!);
  expect(answer.json().error.code).toBe("MESSAGE_NOBODY");
  expect(named(t.audit)).toEqual([]);
});
