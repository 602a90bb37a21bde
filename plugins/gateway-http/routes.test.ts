import { definePlugin, Routes, type Route } from "@gantry/sdk";
import { fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { startGateway, type TestGateway } from "./gateway.test-kit.ts";
import gateway from "./index.ts";

const own = [
  { method: "GET", path: "/health", open: true },
  { method: "POST", path: "/pair", open: true },
  { method: "POST", path: "/api/chat" },
  { method: "GET", path: "/api/approvals" },
  { method: "POST", path: "/api/approvals/x" },
  { method: "GET", path: "/api/openapi.json" },
  { method: "GET", path: "/nothing/here" },
  { method: "POST", path: "/" },
];
const body = (method: string): object => (method === "POST" ? { body: {} } : {});

/** Each from an address of its own, so that no limit is met. */
let last = 1;
function freshPeer(): string {
  last += 1;
  return `127.0.${last >> 8}.${last & 255}`;
}

function routePlugin(...routes: readonly object[]) {
  return definePlugin({
    name: "routes-of-a-test",
    provides: [Routes],
    setup(host) {
      for (const route of routes) host.provide(Routes, route as Route);
    },
  });
}

const reply = async () => ({ status: 200, body: { here: true } }) as const;
const base = { summary: "", handle: reply };

test("GW-01: every route but the open ones is 401 without a token, and unknown routes look the same", async () => {
  await using gateway = await startGateway();
  for (const { method, path, open } of own) {
    const { status, json, headers } = await gateway.ask(path, { method, from: freshPeer(), ...body(method) });
    expect([path, status === 401]).toEqual([path, !open]);
    expect([json.error?.code, headers["www-authenticate"]]).toEqual(
      status === 401 ? ["GATEWAY_UNAUTHORIZED", "Bearer"] : [json.error?.code, undefined],
    );
    expect(headers["cache-control"]).toBe("no-store");
  }
});

test("GW-01: with a token an unknown route is 404", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair();
  for (const path of ["/nothing/here", "/api/nothing", "/", "/healthy"])
    expect([path, (await gateway.ask(path, { token })).status]).toEqual([path, 404]);
});

test("GW-01: no token but a whole, living one opens a route, however it is sent", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair();
  const revoked = await gateway.pair("gone");
  await gateway.word("pair revoke", [revoked.device_id]);
  const flipped = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A");
  const alone = [
    [
      "",
      "Bearer",
      "Bearer ",
      "Bearer undefined",
      "Bearer null",
      "Bearer x",
      "Bearer []",
      "Bearer 0",
      "Bearer true",
    ],
    [
      `Bearer ${flipped}`,
      `Bearer ${token}x`,
      `Bearer ${token}${token}`,
      `Bearer ${token},${token}`,
      `Bearer ${token} ${token}`,
    ],
    [
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.slice(1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer "${token}"`,
    ],
    [
      `Bearer  ${token}`,
      `Basic ${token}`,
      token,
      `bearer:${token}`,
      `Bearer ${revoked.token}`,
      `Bearer gt_${"a".repeat(10_000)}`,
    ],
  ].flat();
  const twice = [
    [`Bearer ${token}`, `Bearer ${token}`],
    ["Bearer x", `Bearer ${token}`],
    [`Bearer ${token}`, "Bearer x"],
  ];
  for (const authorization of [...alone, ...twice]) {
    const { status } = await gateway.ask("/api/approvals", { headers: { authorization }, from: freshPeer() });
    expect([authorization, status]).toEqual([authorization, 401]);
  }
  expect((await gateway.ask("/api/approvals", { token })).status).toBe(200);
  expect((await gateway.ask(`/api/approvals?token=${token}`)).status).toBe(401);
});

test("GW-01: a refused request is in the audit log, without what it sent", async () => {
  await using gateway = await startGateway();
  await gateway.ask("/api/approvals?secret=s3cret", { headers: { authorization: "Bearer s3cret" } });
  expect(gateway.host.audit).toMatchObject([
    {
      event_type: "auth_failure",
      result: "refused: wrong token",
      args: { method: "GET", path: "/api/approvals", peer: "127.0.0.1" },
    },
  ]);
  expect(JSON.stringify([gateway.host.audit, gateway.host.logs])).not.toContain("s3cret");
});

test("GW-04: of requests that are refused in a minute sixty are recorded, and the next record counts the others", async () => {
  const hook = {
    ...base,
    name: "hook",
    method: "POST",
    path: "/hook",
    auth: "own",
    perMinute: Number.POSITIVE_INFINITY,
  };
  const refuse = routePlugin({ ...hook, handle: async () => ({ status: 401, body: {} }) });
  await using gateway = await startGateway({ plugins: [memoryStore(), fakeProvider(["x"]), refuse] });
  const knock = async (count: number) => {
    const all = await Promise.all(Array.from({ length: count }, () => gateway.ask("/hook", { body: "x" })));
    expect(all.every(({ status }) => status === 401)).toBe(true);
    return gateway.host.audit.filter(({ event_type }) => event_type === "auth_failure");
  };
  expect(await knock(100)).toHaveLength(60);
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
  try {
    const records = await knock(1);
    expect([records.length, records.at(-1)?.args]).toEqual([
      61,
      expect.objectContaining({ path: "/hook", unrecorded: 40 }),
    ]);
  } finally {
    vi.useRealTimers();
  }
});

const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "LINK",
  "SEARCH",
  "QUERY",
];

test("GW-04: no method opens what another one keeps shut", async () => {
  await using gateway = await startGateway();
  const { token } = await gateway.pair();
  for (const { method: right, path } of own) {
    for (const method of methods) {
      if (method === right || (method === "HEAD" && right === "GET")) continue;
      const without = await gateway.ask(path, { method, from: freshPeer() });
      const open = ["/health", "/pair"].includes(path);
      expect([method, path, without.status]).toEqual([method, path, open ? 405 : 401]);
      const { status, headers } = await gateway.ask(path, { method, token, from: freshPeer() });
      const allow = right === "GET" ? "GET, HEAD" : right;
      const expected = ["/nothing/here", "/"].includes(path) ? [404, undefined] : [405, allow];
      expect([method, path, status, headers.allow]).toEqual([method, path, ...expected]);
    }
  }
  expect((await gateway.ask("/health", { method: "HEAD" })).status).toBe(200);
  expect((await gateway.ask("/api/approvals", { method: "HEAD" })).status).toBe(401);
});

/** Ways to write the same path differently. */
function variants(path: string): string[] {
  const letter = path.search(/[a-z]/);
  const escaped = `%${path.charCodeAt(letter).toString(16)}`;
  const put = (text: string): string => path.slice(0, letter) + text + path.slice(letter + 1);
  const slash = path.lastIndexOf("/");
  const [before, after] = [path.slice(0, slash), path.slice(slash + 1)];
  return [
    [
      put(escaped),
      put(escaped.toUpperCase()),
      put(escaped.replace("%", "%25")),
      put(escaped.replace("%", "%2525")),
    ],
    [path.toUpperCase(), put((path[letter] ?? "").toUpperCase())],
    [`/${path}`, `//${path}`, `${path}/`, `${path}//`, `${path}/.`, `${path}/..`],
    [
      `/.${path}`,
      `/x/..${path}`,
      `/%2e%2e${path}`,
      `/%2e${path}`,
      `/x/%2e%2e${path}`,
      `/x/..%2f${path.slice(1)}`,
    ],
    ["//", "/./", "%2f", "%2F", "%252f", "%5c", "\\", "/;/", ";/"].map(
      (between) => `${before}${between}${after}`,
    ),
    ["%00", "%20", "%ff", "%", "%2", "%zz", "#x", "%23", "%3f", "%0a"].map((end) => `${path}${end}`),
    [`http://127.0.0.1${path}`, `HTTP://127.0.0.1${path}`, `http://127.0.0.1${path}#x`],
  ].flat();
}

test("GW-04: a path in any other writing gets the status of the canonical path, or 400", async () => {
  await using gateway = await startGateway({
    plugins: [
      memoryStore(),
      fakeProvider(["x"]),
      routePlugin({ ...base, name: "a", method: "GET", path: "/plugin/secret", auth: "token", may: "read" }),
    ],
  });
  const { token } = await gateway.pair();
  for (const { method, path } of [...own.slice(0, 6), { method: "GET", path: "/plugin/secret" }]) {
    for (const given of [{}, { token }]) {
      const canonical = await gateway.ask(path, { method, from: freshPeer(), ...given, ...body(method) });
      for (const variant of variants(path)) {
        const { status } = await gateway.ask(variant, {
          method,
          from: freshPeer(),
          ...given,
          ...body(method),
        });
        expect([`${method} ${variant}`, status]).toEqual([
          `${method} ${variant}`,
          status === 400 ? 400 : canonical.status,
        ]);
      }
    }
  }
});

test("GW-04: whatever path is asked for without a token, nothing but the open routes answers", async () => {
  await using gateway = await startGateway();
  const piece = fc.constantFrom(
    "api",
    "chat",
    "approvals",
    "x",
    "health",
    "pair",
    "..",
    ".",
    "",
    "%2e%2e",
    "%2f",
    "%252f",
    ";",
    "?",
    "#",
    "API",
    "a b",
  );
  const ask = async (pieces: readonly string[]): Promise<void> => {
    const path = `/${pieces.join("/")}`.replace(/ /g, "%20");
    const { status } = await gateway.ask(path, { from: freshPeer() });
    const open = { "/health": 200, "/pair": 405 };
    const right = open[path.replace(/\?.*/, "") as keyof typeof open] ?? 401;
    expect([path, status]).toEqual([path, status === 400 && right === 401 ? 400 : right]);
  };
  await fc.assert(fc.asyncProperty(fc.array(piece, { maxLength: 5 }), ask), { numRuns: 150 });
});

test("GW-01: a plugin's routes are served with the auth that they state", async () => {
  const seen: unknown[] = [];
  const handle: Route["handle"] = async (request) => {
    seen.push({
      device: request.device,
      params: request.params,
      query: request.query,
      body: request.body,
      raw: Buffer.from(request.rawBody).toString(),
    });
    return { status: 200, text: "plain" };
  };
  await using gateway = await startGateway({
    plugins: [
      memoryStore(),
      fakeProvider(["x"]),
      routePlugin(
        { ...base, handle, name: "open", method: "GET", path: "/plugin/open/:id", auth: "none" },
        { ...base, handle, name: "own", method: "POST", path: "/plugin/own", auth: "own" },
        { ...base, name: "shut", method: "PUT", path: "/plugin/shut", auth: "token", may: "read" },
        {
          ...base,
          handle: async () => ({ status: 401, body: {} }),
          name: "picky",
          method: "GET",
          path: "/plugin/picky",
          auth: "own",
        },
      ),
    ],
  });
  const { token } = await gateway.pair();
  expect(await gateway.ask("/plugin/open/7?a=b&a=c")).toMatchObject({
    status: 200,
    text: "plain",
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
  expect(
    (await gateway.ask("/plugin/own", { body: "a=1", headers: { "content-type": "text/odd" } })).status,
  ).toBe(200);
  expect((await gateway.ask("/plugin/shut", { method: "PUT" })).status).toBe(401);
  expect((await gateway.ask("/plugin/shut", { method: "PUT", token })).json).toEqual({ here: true });
  expect(seen).toEqual([
    { device: undefined, params: { id: "7" }, query: { a: ["b", "c"] }, body: undefined, raw: "" },
    { device: undefined, params: {}, query: {}, body: undefined, raw: "a=1" },
  ]);
  await gateway.ask("/plugin/picky");
  expect(gateway.host.audit.at(-1)).toMatchObject({
    event_type: "auth_failure",
    result: "refused: picky answered 401",
  });
});

test.each([
  [{ ...base, name: "GET /x", method: "GET", path: "/x" }, "does not state its auth"],
  [{ ...base, name: "GET /x", method: "GET", path: "/x", auth: "maybe" }, "does not state its auth"],
  [{ ...base, name: "GET x", method: "GET", path: "x", auth: "none" }, "has no path that begins with /"],
])(
  "GW-01: a route without a valid auth or path is refused at registration, by the plugin's name (%#)",
  async (route, why) => {
    const started = startTestHost({ plugins: [memoryStore(), routePlugin(route), gateway] });
    await expect(started).rejects.toMatchObject({
      code: "SLOT_BAD_VALUE",
      message: expect.stringMatching(new RegExp(`routes-of-a-test.*routes\\.${route.name}.*${why}`)),
    });
  },
);

test("GW-01: a route that another one already serves stops the start", async () => {
  const plugins = [
    memoryStore(),
    routePlugin({ ...base, name: "mine", method: "GET", path: "/health", auth: "none" }),
  ];
  await expect(startGateway({ plugins })).rejects.toMatchObject({
    code: "GATEWAY_ROUTE_TWICE",
    message: expect.stringContaining("GET /health"),
  });
});

test("GW-01: a route that warns is heard at the start", async () => {
  await using started: TestGateway = await startGateway({
    plugins: [
      memoryStore(),
      routePlugin({
        ...base,
        name: "w",
        method: "GET",
        path: "/w",
        auth: "own",
        warning: "This is not signed.",
      }),
    ],
  });
  expect(started.host.logs).toContainEqual(
    expect.objectContaining({ level: "warn", message: "This is not signed." }),
  );
});

const broken: Route["handle"] = () => Promise.reject(new Error("the table at /home/me is gone"));

test("GW-01: what breaks inside is logged, and said to nobody without a token", async () => {
  await using started = await startGateway({
    plugins: [
      memoryStore(),
      routePlugin({ ...base, handle: broken, name: "b", method: "GET", path: "/b", auth: "none" }),
    ],
  });
  const { status, json, text } = await started.ask("/b");
  expect([status, json.error.code]).toEqual([500, "GATEWAY_FAILED"]);
  expect(text).not.toContain("/home/me");
  expect(started.host.logs).toContainEqual(
    expect.objectContaining({ level: "error", message: expect.stringContaining("/home/me") }),
  );
});
