import {
  Approvals,
  ask,
  ChatCommands,
  Checks,
  definePlugin,
  defineTool,
  directMessage,
  Inbox,
  listAll,
  many,
  type Route,
  Routes,
  Store,
  Tools,
  type Plugin,
  type Scope,
} from "@gantry/sdk";
import { scopes } from "@gantry/sdk/fill";
import { createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test, vi } from "vitest";
import { Devices } from "./devices.ts";
import { startGateway, type Reply, type TestGateway } from "./gateway.test-kit.ts";

const dayMs = 86_400_000;
const said = ({ status, json }: Reply): unknown[] => [status, json?.error?.code];

/** Returns the token of a new device. */
async function tokenFor(gateway: TestGateway, may: string, name: string = may): Promise<string> {
  return (await gateway.word("pair token", [name], { may })).out.trim();
}

const run = async (): Promise<string> => "ran";
const handle = async () => ({ status: 200, text: "here" });

/** A route, a tool and a word for each scope, and one of each that states none. */
/** The slot as plugins of level 2 fill it: their routes may state no scope. */
const RoutesOfLevel2 = many<Omit<Route, "may"> & { readonly may?: Scope }>("routes");

const stating: Plugin = definePlugin({
  name: "stating",
  provides: [ChatCommands, RoutesOfLevel2, Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    const input = Type.Object({});
    for (const may of [...scopes, undefined]) {
      const name = may ?? "silent";
      const stated = may && { may };
      host.provide(Tools, defineTool({ name, description: "Runs.", input, run, ...stated }));
      const word = { name, summary: "Says a word.", ...stated };
      host.provide(ChatCommands, { ...word, trust: "owner", run: () => `${name} was said` });
      const at = { method: "GET", path: `/${name}`, auth: "token", summary: "Answers." } as const;
      host.provide(RoutesOfLevel2, { name: `GET /${name}`, ...at, ...stated, handle });
    }
    host.hooks.beforeToolCall.tap(({ tool }) =>
      tool === "talk" ? ask({ code: "SURE", message: "are you sure?" }) : undefined,
    );
  },
});

const callOf = (tool: string) => ({ calls: [{ name: tool, args: {} }] });

function started(script: Parameters<typeof fakeProvider>[0] = ["hello"]): Promise<TestGateway> {
  return startGateway({ plugins: [memoryStore(), fakeProvider(script), stating] });
}

test.each(scopes)(
  "SDK-21: a token that may %s alone is let in to routes of that scope alone",
  async (may) => {
    await using gateway = await started();
    const token = await tokenFor(gateway, may);
    for (const scope of [...scopes, "silent"]) {
      const reply = await gateway.ask(`/${scope}`, { token });
      const needed = scope === "silent" ? "manage" : scope;
      const isTold = reply.json?.error?.message.includes(`\`${needed}\``) ?? false;
      expect([scope, ...said(reply), isTold]).toEqual(
        needed === may ? [scope, 200, undefined, false] : [scope, 403, "SCOPE_MISSING", true],
      );
    }
  },
);

test("SDK-21: a refused scope is in the audit with its device", async () => {
  await using gateway = await started();
  const { out } = await gateway.word("pair token", ["lamp"], { may: "talk", json: true });
  const { token, device_id } = JSON.parse(out);
  await gateway.ask("/manage", { token });
  const failures = gateway.host.audit.filter(({ event_type }) => event_type === "auth_failure");
  expect(failures).toMatchObject([
    { user: `http:${device_id}`, result: "refused: the scope manage is missing" },
  ]);
});

test("SDK-21: pair new --may, --name and --days give what the token of its code may", async () => {
  await using gateway = await started();
  const options = { may: "read, talk", name: "wall", days: "3", json: true };
  const made = JSON.parse((await gateway.word("pair new", [], options)).out);
  expect(made).toMatchObject({ may: ["talk", "read"], name: "wall", days: 3 });
  const { code } = made;
  const { json } = await gateway.ask("/pair", { body: { code, device_name: "mine" } });
  expect(json).toMatchObject({ may: ["talk", "read"], expires: expect.any(String) });
  const [device] = JSON.parse((await gateway.word("pair list", [], { json: true })).out);
  expect(device).toMatchObject({ name: "wall", may: ["talk", "read"], expires: json.expires });
  const lasts = Date.parse(device.expires) - Date.parse(device.paired);
  expect(lasts).toBe(3 * dayMs);
});

test("SDK-21: the code printed at the start gives every scope", async () => {
  await using gateway = await started();
  const [, code = ""] = /Pairing code: (\d{6}) /.exec(gateway.printed) ?? [];
  expect((await gateway.ask("/pair", { body: { code } })).json.may).toEqual(scopes);
});

test.each([
  [{ may: "talk,admin" }, "GATEWAY_BAD_SCOPE"],
  [{ may: "" }, "GATEWAY_BAD_SCOPE"],
  [{ days: "0" }, "GATEWAY_BAD_DAYS"],
  [{ days: "1.5" }, "GATEWAY_BAD_DAYS"],
  [{ name: "a\nb" }, "GATEWAY_DEVICE_NAME"],
])("SDK-21: pair new with %j makes no code", async (options, code) => {
  await using gateway = await started();
  await expect(gateway.word("pair new", [], options)).rejects.toMatchObject({ code, exit: 2 });
});

test("SDK-21: a token of an earlier release keeps every scope and no end", async () => {
  await using gateway = await started();
  const { token } = await gateway.pair("phone");
  const { values } = gateway.host.slot(Store);
  const [row] = await listAll<object>(values, "gateway.devices");
  const before = { ...row?.value, may: undefined, first: undefined };
  await values.put("gateway.devices", String(row?.key), before);
  for (const scope of scopes) expect((await gateway.ask(`/${scope}`, { token })).status).toBe(200);
});

test.each([[null], ["talk"], [{}], [["everything"]]])(
  "SDK-21: a token kept with the scopes %j may nothing",
  async (may) => {
    const { values } = createMemoryStore();
    const { token } = await new Devices(values).add("phone");
    const [row] = await listAll<object>(values, "gateway.devices");
    await values.put("gateway.devices", String(row?.key), { ...row?.value, may });
    expect((await new Devices(values).find(token))?.caller.may).toEqual([]);
  },
);

test("SDK-21: an expired token is refused by a sentence of its own and listed so", async () => {
  await using gateway = await started();
  const { values } = gateway.host.slot(Store);
  const old = new Devices(values, () => Date.now() - 2 * dayMs);
  const { token, device } = await old.add("lamp", { may: ["talk"], days: 1 });
  const reply = await gateway.ask("/api/chat", { token, body: { message: "hi" } });
  expect(said(reply)).toEqual([401, "GATEWAY_TOKEN_EXPIRED"]);
  expect(reply.json.error.message).toContain(device.device_id);
  expect((await gateway.word("pair list")).out).toContain(`ran out ${device.expires}`);
});

test("SDK-21: the last use of a token is written down once in ten minutes", async () => {
  const store = createMemoryStore();
  let now = Date.UTC(2030, 0, 1);
  const put = vi.spyOn(store.values, "put");
  const devices = new Devices(store.values, () => now);
  const { device } = await devices.add("phone");
  const writes = (): number => put.mock.calls.filter(([space]) => space === "gateway.used").length;
  for (let i = 0; i < 100; i += 1) devices.used(device.device_id);
  expect(writes()).toBe(1);
  now += 10 * 60_000;
  devices.used(device.device_id);
  expect(writes()).toBe(2);
  await expect.poll(() => devices.list()).toMatchObject([{ used: new Date(now).toISOString() }]);
});

test("SDK-21: a request whose scope is checked reads the store once, writes nothing", async () => {
  await using gateway = await startGateway({
    plugins: [memoryStore(), fakeProvider(["hello"]), stating],
    config: { people: { ada: { role: "owner", devices: ["phone"] } } },
  });
  const token = await tokenFor(gateway, "read", "phone");
  expect((await gateway.ask("/read", { token })).status).toBe(200);
  const { values } = gateway.host.slot(Store);
  const [get, list, put] = (["get", "list", "put"] as const).map((name) => vi.spyOn(values, name));
  expect((await gateway.ask("/read", { token })).status).toBe(200);
  expect([get, list, put].map((spy) => spy?.mock.calls.length)).toEqual([1, 0, 0]);
});

test("SDK-21: status names the devices that may decide", async () => {
  await using gateway = await started();
  await tokenFor(gateway, "talk,read,manage", "wall");
  const row = async () => {
    const check = gateway.host.slot(Checks).get("gateway-status");
    const rows = (await check?.run(AbortSignal.timeout(60_000))) ?? [];
    return rows.find(({ what }) => what === "gateway may decide")?.detail;
  };
  expect(await row()).toBe("no paired device");
  await tokenFor(gateway, "decide", "phone");
  expect(await row()).toMatch(/^phone \(d[0-9a-f]{12}\)$/);
});

test("SDK-21: the description names the scope of each route", async () => {
  await using gateway = await started();
  const token = await tokenFor(gateway, "read");
  const { paths } = (await gateway.ask("/api/openapi.json", { token })).json;
  const scopeOf = (path: string, method: string) => paths[path][method].security[0].token;
  expect(scopeOf("/api/chat", "post")).toEqual(["talk"]);
  expect(scopeOf("/api/approvals", "get")).toEqual(["decide"]);
  expect(scopeOf("/silent", "get")).toEqual(["manage"]);
});

test.each<[string, readonly Scope[]]>([
  ["talk", []],
  ["talk,manage", []],
  ["talk,decide", ["talk", "decide"]],
  ["talk,read,decide,manage", scopes],
])("SDK-21: by chat a token that may %s has no word beyond it", async (may, words) => {
  await using gateway = await started();
  const token = await tokenFor(gateway, may);
  for (const word of [...scopes, "silent"]) {
    const { json } = await gateway.ask("/api/chat", { token, body: { message: `/${word}` } });
    const isAllowed = words.includes(word === "silent" ? "manage" : (word as Scope));
    expect(json.reply).toContain(isAllowed ? `${word} was said` : "This needs the scope");
  }
});

test("SDK-21: a turn has no tool beyond the scopes of its token", async () => {
  const shown: string[][] = [];
  const script = [
    ({ tools = [] }: { tools?: readonly { name: string }[] }) => {
      shown.push(tools.map(({ name }) => name));
      return callOf("manage");
    },
    "done",
  ];
  await using gateway = await startGateway({
    plugins: [memoryStore(), fakeProvider(script as never), stating],
  });
  const token = await tokenFor(gateway, "talk,read");
  const { json } = await gateway.ask("/api/chat", { token, body: { message: "do" } });
  expect(shown[0]).toEqual(["read", "silent", "talk"]);
  expect(json.tool_calls).toEqual([{ tool: "manage", decision: "refused", code: "SCOPE_MISSING" }]);
});

test("SDK-21: a token without decide decides no question, not even its own", async () => {
  await using gateway = await started([callOf("talk"), "done"]);
  const talk = await tokenFor(gateway, "talk", "lamp");
  const decide = await tokenFor(gateway, "decide", "phone");
  const body = { message: "do", stream: true, session_id: "mine" };
  const stream = gateway.ask("/api/chat", { token: talk, body });
  const open = async () => (await gateway.ask("/api/approvals", { token: decide })).json.approvals;
  await vi.waitFor(async () => expect(await open()).toHaveLength(1), { timeout: 30_000 });
  const [{ id }] = await open();

  expect((await gateway.ask("/api/approvals", { token: talk })).status).toBe(403);
  const approvals = gateway.host.slot(Approvals);
  const caller = { device: "d0", may: ["talk", "read", "manage"] } as const;
  expect(await approvals.pending({ user: "http:d0", caller })).toEqual([]);
  expect(await approvals.decide(id, "allow", { user: "http:d0", caller })).toBe("forbidden");
  const decision = { decision: "allow" };
  const own = await gateway.ask(`/api/approvals/${id}`, { token: talk, body: decision });
  expect(own.status).toBe(403);
  for (const message of [`/approve ${id}`, "/approve", `allow ${id.slice(0, 6)}`, "yes"])
    await gateway.ask("/api/chat", { token: talk, body: { message } });
  expect(await open()).toHaveLength(1);

  const done = await gateway.ask(`/api/approvals/${id}`, { token: decide, body: decision });
  expect(done.status).toBe(200);
  expect((await stream).text).toContain('"decision":"approved"');
});

test("SDK-21: a route begins no turn for a token without talk, whatever it needs", async () => {
  const begins = definePlugin({
    name: "begins",
    needs: { inbox: Inbox },
    provides: [Routes],
    setup: (host) =>
      host.provide(Routes, {
        name: "GET /begin",
        method: "GET",
        path: "/begin",
        auth: "token",
        may: "manage",
        summary: "Begins a turn.",
        async handle({ caller, signal }) {
          const said = { channel: "http", id: "1", from: "x", text: "hi", trust: "owner" } as const;
          const message = directMessage({ ...said, ...(caller && { caller }) });
          const { reply } = await host.needs.inbox.prompt(message, { signal, approvals: "none" });
          return { status: 200, text: reply };
        },
      }),
  });
  const plugins = [memoryStore(), fakeProvider(["hello"]), begins];
  await using gateway = await startGateway({ plugins });
  const tokenOf = (may: string) => tokenFor(gateway, may);
  const asked = async (may: string) => gateway.ask("/begin", { token: await tokenOf(may) });
  expect(said(await asked("manage"))).toEqual([403, "SCOPE_MISSING"]);
  expect((await asked("talk,manage")).text).toBe("hello");
});

test("SDK-21: a token reaches no conversation of another device", async () => {
  await using gateway = await started();
  const one = await tokenFor(gateway, "talk", "one");
  const two = await tokenFor(gateway, "talk", "two");
  const chat = (token: string, message: string) =>
    gateway.ask("/api/chat", { token, body: { message, session_id: "private" } });
  expect((await chat(one, "hi")).status).toBe(200);
  expect(said(await chat(two, "hi"))).toEqual([403, "SESSION_FOREIGN"]);
  const listed = await gateway.ask("/api/chat", { token: two, body: { message: "/sessions" } });
  expect(listed.json.reply).not.toContain("private");
});
