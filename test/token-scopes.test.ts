import { Agent, request as httpRequest } from "node:http";
import {
  Approvals,
  ask,
  ChatCommands,
  definePlugin,
  defineTool,
  many,
  type Route,
  Routes,
  Store,
  textOf,
  Tools,
  type Plugin,
  type Scope,
} from "@gantry/sdk";
import { scopes } from "@gantry/sdk/fill";
import { fakeNet, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { Type } from "typebox";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { allPlugins } from "../.ci/reference.ts";
import { Devices } from "../plugins/gateway-http/devices.ts";
import { startGateway, type TestGateway } from "../plugins/gateway-http/gateway.test-kit.ts";
import askWords from "../plugins/ask-words/index.ts";
import slashWords from "../plugins/slash-words/index.ts";

const numRuns = process.env["GANTRY_LONG"] ? 20_000 : 1_000;

/**
 * The scope that each route of a bundled plugin needs; `open` for one that no token opens, `all`
 * for one that needs each of them.
 */
const needs: Readonly<Record<string, Scope | "open" | "all">> = {
  "GET /api/acceptance/mcp-servers": "read",
  "POST /api/acceptance/mcp-servers/accept": "manage",
  "POST /api/acceptance/mcp-servers/look": "manage",
  "POST /api/acceptance/mcp-servers/withdraw": "manage",
  "GET /api/acceptance/skills": "read",
  "POST /api/acceptance/skills/accept": "manage",
  "POST /api/acceptance/skills/look": "manage",
  "POST /api/acceptance/skills/withdraw": "manage",
  "GET /api/agents": "read",
  "GET /api/agents/explain": "read",
  "GET /api/alerts": "read",
  "GET /api/approvals": "decide",
  "GET /api/approvals/events": "decide",
  "POST /api/approvals/{id}": "decide",
  "GET /api/audit": "read",
  "POST /api/audit/verify": "read",
  "POST /api/chat": "talk",
  "GET /api/config": "manage",
  "PATCH /api/config": "all",
  "GET /api/config/reload": "manage",
  "POST /api/config/reload": "all",
  "POST /api/config/trial": "all",
  "GET /api/devices": "manage",
  "POST /api/devices/codes": "manage",
  "DELETE /api/devices/{id}": "manage",
  "GET /api/doctor": "read",
  "POST /api/doctor/fix": "manage",
  "GET /api/jobs": "read",
  "POST /api/jobs/{name}": "manage",
  "GET /api/jobs/{name}/runs": "read",
  "GET /api/log/events": "manage",
  "POST /api/markdown": "talk",
  "GET /api/media/{id}": "talk",
  "GET /api/openapi.json": "read",
  "GET /api/plugins": "read",
  "POST /api/questions/{id}": "talk",
  "DELETE /api/sessions": "talk",
  "GET /api/sessions": "talk",
  "GET /api/sessions/export": "talk",
  "GET /api/sessions/messages": "talk",
  "POST /api/sign-out": "open",
  "GET /api/status": "read",
  "DELETE /api/turns": "talk",
  "GET /api/turns": "talk",
  "POST /api/turns": "talk",
  "GET /api/turns/events": "talk",
  "POST /api/uploads": "talk",
  "GET /api/usage": "read",
  "GET /chatapp": "open",
  "POST /chatapp": "open",
  "GET /console": "open",
  "GET /console/{name}": "open",
  "GET /health": "open",
  "DELETE /mcp": "talk",
  "GET /mcp": "talk",
  "POST /mcp": "talk",
  "GET /metrics": "read",
  "POST /pair": "open",
  "GET /ready": "open",
  "POST /v1/chat/completions": "talk",
  "GET /v1/models": "talk",
  "GET /v1/models/gantry/{agent}": "talk",
  "GET /v1/models/{id}": "talk",
  "POST /v1/responses": "talk",
  "DELETE /v1/responses/{id}": "talk",
  "GET /v1/responses/{id}": "talk",
  "GET /v1/responses/{id}/input_items": "talk",
  ...Object.fromEntries(scopes.map((scope) => [`POST /stating/${scope}`, scope])),
  "POST /stating/silent": "manage",
  "POST /stating/all": "all",
};
/** Signing out would end the token that the next request is made with. */
const routes = Object.keys(needs).filter((route) => route !== "POST /api/sign-out");

/** The deeds since it was last asked, each with the scopes that it needs. */
const done: { readonly what: string; readonly needs: readonly Scope[] }[] = [];

const asked = async (): Promise<string> => "asked";

/** The slot as plugins of level 2 fill it: their routes may state no scope. */
const RoutesOfLevel2 = many<Omit<Route, "may"> & { readonly may?: Scope }>("routes");

/** For each scope, and without one, a route, a tool and a word that note what they do. */
const stating: Plugin = definePlugin({
  name: "stating",
  provides: [ChatCommands, RoutesOfLevel2, Tools],
  taps: ["beforeToolCall"],
  setup(host) {
    const input = Type.Object({});
    for (const may of [...scopes, undefined]) {
      const name = may ?? "silent";
      const note = (what: string, ...scopesOf: readonly Scope[]): string => {
        done.push({ what: `${what} ${name}`, needs: scopesOf });
        return "noted";
      };
      const stated = may && { may };
      const run = async () => note("tool", "talk", may ?? "talk");
      host.provide(Tools, defineTool({ name, description: "Notes.", input, run, ...stated }));
      const owned = may === undefined ? ({ trust: "owner" } as const) : stated;
      const word = () => note("word", "talk", ...(may ? [may] : (["manage", "decide"] as const)));
      host.provide(ChatCommands, { name, summary: "Notes.", ...owned, run: word });
      const path = `/stating/${name}`;
      const at = { method: "POST", path, auth: "token", summary: "Notes." } as const;
      const handle = async () => ({ status: 200, text: note("route", may ?? "manage") });
      host.provide(RoutesOfLevel2, { name: `POST ${path}`, ...at, ...stated, handle });
    }
    host.provide(RoutesOfLevel2, {
      name: "POST /stating/all",
      method: "POST",
      path: "/stating/all",
      auth: "token",
      may: "manage",
      alsoMay: ["talk", "read", "decide"],
      summary: "Notes.",
      handle: async () => {
        done.push({ what: "route all", needs: scopes });
        return { status: 200, text: "noted" };
      },
    });
    host.provide(Tools, defineTool({ name: "asks", description: "Asks.", input, run: asked }));
    host.hooks.beforeToolCall.tap(({ tool }) =>
      tool === "asks" ? ask({ code: "SURE", message: "are you sure?" }) : undefined,
    );
  },
});

const config = {
  channels_config: { chatapp: { access_token: "x", phone_number_id: "1", verify_token: "x" } },
};
/** It calls the tool that a text names behind `call `. */
const model = fakeProvider([
  ({ messages }) => {
    const [, name] = /^call ([\w-]+)$/.exec(textOf(messages.at(-1)?.parts ?? [])) ?? [];
    return name === undefined ? "heard" : { calls: [{ name, args: {} }] };
  },
]);

let gateway: TestGateway;
const agent = new Agent({ keepAlive: true });
let devices: Devices;
/** The tokens in use by their scopes, each with what is left of its requests. */
const tokens = new Map<string, { readonly token: string; left: number }>();
let question = "";
let asker: Promise<unknown>;

beforeAll(async () => {
  const bundled = await allPlugins();
  const offering = bundled.filter(
    ({ name, provides }) => name !== "gateway-http" && provides?.some(({ id }) => id === Routes.id),
  );
  const plugins = [memoryStore(), fakeNet(), model, askWords, slashWords, stating, ...offering];
  gateway = await startGateway({ plugins, config });
  devices = new Devices(gateway.host.slot(Store).values);
  const body = { message: "call asks", stream: true };
  asker = gateway.ask("/api/chat", { token: await tokenOf(["talk"]), body });
  const open = () => gateway.host.slot(Approvals).pending();
  question = await vi.waitFor(async () => ((await open())[0] as { readonly id: string }).id);
});
afterAll(async () => {
  const token = await tokenOf(["decide"]);
  await gateway.ask(`/api/approvals/${question}`, { token, body: { decision: "deny" } });
  await asker;
  agent.destroy();
  await gateway.stop();
});

interface Sent {
  readonly may: readonly Scope[];
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

interface Got {
  readonly status: number;
  readonly text: string;
}

/** Returns a token that no limit of a route meets: each is used for a few requests. */
async function tokenOf(has: readonly Scope[]): Promise<string> {
  const key = has.join();
  let used = tokens.get(key);
  if (!used?.left) {
    const { token } = await devices.add(key, { may: has });
    tokens.set(key, (used = { token, left: 25 }));
  }
  used.left -= 1;
  return used.token;
}

async function send(sent: Sent): Promise<Got> {
  const { may: has, method, path, body } = sent;
  const headers = {
    authorization: `Bearer ${await tokenOf(has)}`,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const at = { host: "127.0.0.1", port: gateway.port, agent, headers, method, path };
  return new Promise((resolve, reject) => {
    const request = httpRequest(at, (response) => {
      const { "content-type": type = "" } = response.headers;
      if (method === "GET" && type.startsWith("text/event-stream")) {
        // A stream of events has no end of its own; that it was opened is the answer.
        response.destroy();
        return resolve({ status: response.statusCode ?? 0, text: "" });
      }
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      // The server had closed the connection that was kept.
      if (request.reusedSocket && error.code === "ECONNRESET") return resolve(send(sent));
      reject(error);
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Throws if anything was done beyond these scopes, or the question was decided. */
async function holds(sent: Sent): Promise<void> {
  const isHeld = (one: Scope): boolean => sent.may.includes(one);
  const beyond = done.splice(0).filter(({ needs: all }) => !all.every(isHeld));
  expect({ ...sent, beyond }).toEqual({ ...sent, beyond: [] });
  const open = await gateway.host.slot(Approvals).pending();
  expect({ ...sent, open: open.map(({ id }) => id) }).toEqual({ ...sent, open: [question] });
}

/** In the order in which a route of the configuration states them. */
const everyScope = ["manage", "talk", "read", "decide"] as const;

/**
 * Returns what is wrong with an answer. A request as the route states it is let in, or told the
 * scope that is missing.
 */
function wrongIn(
  { status, text }: Got,
  { method, may: has }: Sent,
  pattern: string,
  isAsStated: boolean,
): string {
  const needed = needs[`${method === "HEAD" ? "GET" : method} ${pattern}`] ?? "open";
  const all = needed === "all" ? everyScope : needed === "open" ? [] : [needed];
  const missing = all.filter((one) => !has.includes(one));
  const isIn = missing.length === 0;
  if (status < 300 && method !== "OPTIONS" && !isIn) return `it was let in by ${needed}`;
  // Pairing has a limit of its own, which counts addresses.
  if (!isAsStated || (status === 429 && needed === "open")) return "";
  const isTold =
    status === 403 &&
    text.includes("SCOPE_MISSING") &&
    missing.some((one) => text.includes(`\`${one}\``)) &&
    text.includes(`--may ${all.join(",")}`);
  if (isTold !== isIn) return "";
  return isIn ? `it was refused ${needed}` : `it was not told that it lacks ${needed}`;
}

/** Returns the word by which `needs` names the scopes of a route. */
function namedBy(all: readonly string[]): string {
  return scopes.every((one) => all.includes(one)) ? "all" : all.join() || "open";
}

const may = fc.subarray([...scopes]);
/** A token that may decide gets no id of an open question: it would be right to decide it. */
const idFor = (has: readonly Scope[]) => (has.includes("decide") ? "0123456789abcdef" : question);

test("SDK-21: each bundled route needs the scope that is meant, and none is left out", async () => {
  const { text } = await send({ may: ["read"], method: "GET", path: "/api/openapi.json" });
  type Methods = Record<string, { security?: object[] }>;
  const { paths } = JSON.parse(text) as { paths: Record<string, Methods> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => [
      `${method.toUpperCase()} ${path}`,
      namedBy((security?.[0] as { token: string[] } | undefined)?.token ?? []),
    ]),
  );
  expect(Object.fromEntries(described)).toEqual(needs);
});

test("SDK-21: no token comes by any route, in any spelling, to more than it may", async () => {
  const bent = fc.constantFrom<(path: string) => string>(
    (path) => `${path}/`,
    (path) => `/${path}`,
    (path) => path.toUpperCase(),
    (path) => path.replace(/[a-z]/, (letter) => `%${letter.codePointAt(0)?.toString(16)}`),
    (path) => `/x/..${path}`,
    (path) => `${path}?may=manage`,
    (path) => `http://127.0.0.1${path}`,
  );
  const straight = fc.constant((path: string) => path);
  const bend = fc.oneof({ arbitrary: straight, weight: 3 }, { arbitrary: bent, weight: 1 });
  const others = fc.constantFrom("HEAD", "GET", "PUT", "DELETE", "OPTIONS");
  const methods = fc.option(others, { nil: undefined, freq: 1 });
  const bodies = fc.constantFrom<object>({ decision: "allow" }, { message: "hi" });
  const body = fc.oneof(bodies, fc.jsonValue());
  const each = fc.asyncProperty(
    may,
    fc.constantFrom(...routes),
    bend,
    methods,
    body,
    async (has, route, spell, other, given) => {
      const [own = "", pattern = ""] = route.split(" ");
      const plain = pattern.replace(/\{(?:id|agent|name)\}/, idFor(has));
      const [method, path] = [other ?? own, spell(plain)];
      const isBodied = method !== "GET" && method !== "HEAD";
      const sent = { may: has, method, path, ...(isBodied && { body: given }) };
      const got = await send(sent);
      await holds(sent);
      const isAsStated = path === plain && other === undefined;
      const wrong = wrongIn(got, sent, pattern, isAsStated);
      expect({ ...sent, wrong }).toEqual({ ...sent, wrong: "" });
    },
  );
  await fc.assert(each, { numRuns });
});

test("SDK-21: no token comes by words or tools of a chat to more than it may", async () => {
  const named = fc.constantFrom(...scopes, "silent");
  const others = fc.constantFrom("yes", "/model other", "/undo", "/usage", "/tools", "/help");
  const said = fc.oneof(
    named.map((name) => () => `call ${name}`),
    named.map((name) => () => `/${name}`),
    fc.constantFrom<(id: string) => string>(
      (id) => `/approve ${id}`,
      (id) => `/deny ${id.slice(0, 6)}`,
      (id) => `allow ${id.slice(0, 6)}`,
      (id) => `always ${id.slice(0, 6)}`,
    ),
    others.map((text) => () => text),
  );
  const doors = fc.constantFrom("/api/chat", "/api/chat?stream", "/v1/chat/completions");
  const each = fc.asyncProperty(may, doors, said, async (has, door, say) => {
    const text = say(idFor(has));
    const chat = { message: text, stream: door.endsWith("stream") };
    const completion = { model: "gantry", messages: [{ role: "user", content: text }] };
    const body = door.startsWith("/v1") ? completion : chat;
    const sent = { may: has, method: "POST", path: door.replace("?stream", ""), body };
    const { status } = await send(sent);
    expect({ ...sent, status }).toEqual({ ...sent, status: has.includes("talk") ? 200 : 403 });
    await holds(sent);
  });
  await fc.assert(each, { numRuns });
});
