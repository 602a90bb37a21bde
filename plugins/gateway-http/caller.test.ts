import {
  Approvals,
  definePlugin,
  defineTool,
  directMessage,
  Inbox,
  Routes,
  Tools,
  type Caller,
  type InboundMessage,
  type Plugin,
  type RouteReply,
  type RouteRequest,
  type Scope,
} from "@gantry/sdk";
import { scopes } from "@gantry/sdk/fill";
import { askingTool, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { startGateway, type Reply, type TestGateway } from "./gateway.test-kit.ts";

const signal = new AbortController().signal;
const everything: Caller = { device: "d0", may: scopes };
const quietly = { signal, approvals: "yes" } as const;
const said = ({ status, json }: Reply): unknown[] => [status, json?.error?.code];

interface Needs {
  readonly inbox: Inbox;
  readonly approvals: Approvals;
}

/** Makes a plugin whose routes hand in messages that say what they like of their writer. */
function forgetful(more: Partial<InboundMessage> = {}): Plugin {
  const message = (): InboundMessage =>
    directMessage({
      channel: "http",
      id: crypto.randomUUID(),
      from: "me",
      text: "go",
      trust: "owner",
      ...more,
    });
  const works: Record<string, (needs: Needs) => Promise<RouteReply>> = {
    "/prompt": async ({ inbox }) => ({ status: 200, body: await inbox.prompt(message(), quietly) }),
    "/late": async ({ inbox }) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { status: 200, body: await inbox.prompt(message(), quietly) };
    },
    "/events": async ({ inbox }) => {
      const events = async function* () {
        yield { data: await inbox.prompt(message(), quietly) };
      };
      return { status: 200, events: events() };
    },
    "/call": async ({ inbox }) => {
      const outcome = await inbox.call?.(message(), { ...quietly, tool: "manage", args: {} });
      return { status: 200, body: { tool_calls: [outcome] } };
    },
    "/yes": async ({ inbox }) => {
      const asked = { ...quietly, approvals: "yes", tool: askingTool().toolName, args: {} } as const;
      const outcome = await inbox.call?.(message(), asked);
      return { status: 200, body: { tool_calls: [outcome] } };
    },
    "/receive": async ({ inbox }) => ({ status: 200, body: await inbox.receive([message()]) }),
    "/decide": async ({ approvals }) => {
      const [open] = await approvals.pending();
      const by = { user: "http:me", trust: "owner", ...(more.caller && { caller: more.caller }) } as const;
      return { status: 200, body: await approvals.decide(open?.id ?? "", "allow", by) };
    },
  };
  const summary = "Forgets who asks.";
  return definePlugin({
    name: "forgetful",
    needs: { inbox: Inbox, approvals: Approvals },
    provides: [Routes, Tools],
    setup(host) {
      const [input, run] = [Type.Object({}), async () => "ran"];
      host.provide(Tools, defineTool({ name: "manage", description: "Runs.", input, run, may: "manage" }));
      for (const [path, work] of Object.entries(works))
        for (const may of ["talk", "read"] as const) {
          const at = { method: "GET", path: `/${may}${path}`, auth: "token", may, summary } as const;
          host.provide(Routes, { name: `GET ${at.path}`, ...at, handle: () => work(host.needs) });
        }
    },
  });
}

const script = [{ calls: [{ name: "manage", args: {} }] }, "done"];
const begin = (plugin: Plugin, ...more: Plugin[]): Promise<TestGateway> =>
  startGateway({ plugins: [memoryStore(), fakeProvider(script), plugin, ...more] });
const tokenFor = async (gateway: TestGateway, may: string): Promise<string> =>
  (await gateway.word("pair token", [may], { may })).out.trim();

const stated: readonly [string, Partial<InboundMessage>][] = [
  ["leaves its caller out", {}],
  ["states a wider caller", { caller: everything }],
];

test.each(
  stated.flatMap(([how, more]) => ["/prompt", "/late", "/events"].map((at) => [at, how, more] as const)),
)("SDK-21: a turn of the route %s that %s has no tool beyond its token", async (path, _, more) => {
  await using gateway = await begin(forgetful(more));
  const token = await tokenFor(gateway, "talk");
  const { text } = await gateway.ask(`/talk${path}`, { token });
  expect(text).toContain('"tool":"manage","decision":"refused","code":"SCOPE_MISSING"');
});

test.each(stated)("SDK-21: a call of a route that %s runs no tool beyond its token", async (_, more) => {
  await using gateway = await begin(forgetful(more));
  const token = await tokenFor(gateway, "talk");
  const { json } = await gateway.ask("/talk/call", { token });
  expect(json.tool_calls[0]).toMatchObject({ decision: "refused", code: "SCOPE_MISSING" });
});

test.each(
  stated.flatMap(([how, more]) => ["/prompt", "/call", "/receive"].map((at) => [at, how, more] as const)),
)("SDK-21: %s of a token that only reads says nothing where a route %s", async (path, _, more) => {
  await using gateway = await begin(forgetful(more));
  const token = await tokenFor(gateway, "read");
  expect(said(await gateway.ask(`/read${path}`, { token }))).toEqual([403, "SCOPE_MISSING"]);
});

test("SDK-21: a token with every scope has what it may also where a route forgets it", async () => {
  await using gateway = await begin(forgetful());
  const token = await tokenFor(gateway, scopes.join(","));
  const { json } = await gateway.ask("/talk/prompt", { token });
  expect(json.tool_calls).toEqual([{ tool: "manage", decision: "allowed" }]);
});

test.each<[string, Partial<InboundMessage>, Scope, string]>([
  ["leaves its caller out", {}, "talk", "forbidden"],
  ["states a wider caller", { caller: everything }, "talk", "forbidden"],
])("SDK-21: a route that %s decides nothing for a token without that scope", async (_, more, may, end) => {
  const asking = askingTool();
  const model = fakeProvider([{ calls: [{ name: asking.toolName, args: {} }] }, "done"]);
  await using gateway = await startGateway({
    plugins: [memoryStore(), model, forgetful(more), asking.plugin],
  });
  const token = await tokenFor(gateway, may);
  const owner = await tokenFor(gateway, scopes.join(","));
  const stream = fetch(`${gateway.url}/api/chat`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "go", stream: true }),
  });
  const approvals = gateway.host.slot(Approvals);
  await expect.poll(async () => (await approvals.pending()).length).toBe(1);
  expect((await gateway.ask("/talk/decide", { token })).json).toBe(end);
  expect((await gateway.ask("/talk/decide", { token: owner })).json).toBe("done");
  await (await stream).text();
});

test.each([
  ["talk", { decision: "refused", code: "APPROVAL_NO_PERSON" }],
  [scopes.join(","), { decision: "approved" }],
])(
  "SDK-21: a yes that a route gives by itself counts for a token with %s as its scopes say",
  async (may, end) => {
    await using gateway = await begin(forgetful(), askingTool().plugin);
    const token = await tokenFor(gateway, may);
    const { json } = await gateway.ask("/talk/yes", { token });
    expect(json.tool_calls[0]).toMatchObject(end);
  },
);

async function whoAsks({ user }: RouteRequest): Promise<RouteReply> {
  return { status: 200, body: { user: user ?? null } };
}

test("SDK-21: a request has the user whom the audit names, its device; without a token none", async () => {
  const who = definePlugin({
    name: "who",
    provides: [Routes],
    setup(host) {
      const facts = { method: "GET", summary: "Who asks.", handle: whoAsks } as const;
      host.provide(Routes, { ...facts, name: "who", path: "/who", auth: "token", may: "talk" });
      host.provide(Routes, { ...facts, name: "any", path: "/any", auth: "none" });
    },
  });
  await using gateway = await begin(who);
  const token = await tokenFor(gateway, "talk");
  const [device] = JSON.parse((await gateway.word("pair list", [], { json: true })).out);
  expect((await gateway.ask("/who", { token })).json).toEqual({ user: `http:${device.device_id}` });
  expect((await gateway.ask("/any", { token })).json).toEqual({ user: null });
});
