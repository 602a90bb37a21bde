import { Checks, definePlugin, Store, textParts } from "@gantry/sdk";
import { expect, test } from "vitest";
import { startConsole, tokenFor, type ConsoleKit, type Device } from "./console.test-kit.ts";
import { serveConsole } from "./served.test-kit.ts";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

test("WEB-01: every file of the page is served with the strict policy, and without a token", async () => {
  await using kit = await startConsole();
  const page = await kit.gateway.ask("/console");
  const names = [...page.text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(2);
  for (const path of ["/console", "/console/audit", ...names]) {
    const { status, headers } = await kit.gateway.ask(path);
    expect({ path, status, policy: headers["content-security-policy"] }).toEqual({
      path,
      status: 200,
      policy,
    });
  }
  expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
});

test("WEB-01: nothing but the built files is served, and an unchanged one is not sent again", async () => {
  await using kit = await startConsole();
  for (const name of ["index.js", "main.tsx", "..%2findex.js", "nothing.js"])
    expect((await kit.gateway.ask(`/console/${name}`)).status).not.toBe(200);
  const { headers } = await kit.gateway.ask("/console/app.js");
  const again = await kit.gateway.ask("/console/app.js", {
    headers: { "if-none-match": headers.etag ?? "" },
  });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("WEB-01: console.enabled = false serves neither the page nor its turns", async () => {
  await using kit = await startConsole({ config: { console: { enabled: false } } });
  const { token } = await tokenFor(kit, "talk");
  expect((await kit.gateway.ask("/console", { token })).status).toBe(404);
  expect((await kit.gateway.ask("/api/turns", { token })).status).toBe(404);
  expect(kit.gateway.printed).not.toContain("Console:");
});

test("WEB-02: the gateway prints the address of the console while no device is paired", async () => {
  await using kit = await startConsole();
  const [, code = ""] = /^Pairing code: (\d+)/m.exec(kit.gateway.printed) ?? [];
  expect(kit.gateway.printed).toContain(`Console: ${kit.gateway.url}/console#code=${code}\n`);
});

test("WEB-02: signing out ends a token whatever it may, and another word ends none", async () => {
  await using kit = await startConsole();
  const { token } = await tokenFor(kit, "read");
  expect((await kit.gateway.ask("/api/sign-out", { method: "POST", token: `${token}x` })).status).toBe(401);
  expect((await kit.gateway.ask("/api/audit", { token })).status).toBe(200);
  expect((await kit.gateway.ask("/api/sign-out", { method: "POST", token })).status).toBe(200);
  expect((await kit.gateway.ask("/api/audit", { token })).status).toBe(401);
});

test("WEB-03: a device reads no turn, and sends no file, of another", async () => {
  await using kit = await startConsole();
  const [{ token: one }, { token: other }] = [await tokenFor(kit, "talk"), await tokenFor(kit, "talk,read")];
  const { ask } = kit.gateway;
  const file = (await ask("/api/uploads?name=a.txt", { body: "mine", token: one })).json.id as string;
  const body = { message: "slowly", files: [file] };
  expect((await ask("/api/turns", { body, token: other })).json.error.code).toBe("CONSOLE_NO_UPLOAD");
  const { session_id } = (await ask("/api/turns", { body, token: one })).json;
  await kit.model.begun;
  const events = `/api/turns/events?session=${session_id}`;
  expect((await ask(events, { token: other })).status).toBe(404);
  const stop = { method: "DELETE" };
  expect((await ask(`/api/turns?session=${session_id}`, { ...stop, token: other })).status).toBe(404);
  const twice = { ...body, session_id };
  expect((await ask("/api/turns", { body: twice, token: one })).json.error.code).toBe("CONSOLE_TURN_RUNS");
  expect((await ask(`/api/turns?session=${session_id}`, { ...stop, token: one })).status).toBe(200);
});

test("WEB-05: a token that may only talk lists, reads and removes its own sessions alone", async () => {
  await using kit = await startConsole();
  const { sessions } = kit.gateway.host.slot(Store);
  const { token, device_id } = await tokenFor(kit, "talk");
  for (const [id, owner] of [
    ["own", `http:${device_id}`],
    ["other", "telegram:42"],
  ] as const) {
    await sessions.open(id, owner);
    await sessions.append(id, [{ role: "user", parts: textParts(`words of ${id}`) }]);
  }
  const { ask } = kit.gateway;
  const { rows } = (await ask("/api/sessions?owner=telegram:42", { token })).json;
  expect(rows).toMatchObject([{ id: "own", title: "words of own" }]);
  expect((await ask("/api/sessions/messages?session=own", { token })).json.messages).toHaveLength(1);
  for (const path of ["messages", "export"])
    expect((await ask(`/api/sessions/${path}?session=other`, { token })).status).toBe(404);
  expect((await ask("/api/sessions?session=other", { method: "DELETE", token })).status).toBe(404);
  const { token: reader } = await tokenFor(kit, "talk,read");
  expect((await ask("/api/sessions?session=other", { method: "DELETE", token: reader })).status).toBe(403);
  expect((await ask("/api/sessions?session=own", { method: "DELETE", token })).status).toBe(200);
  expect(await sessions.access("own")).toBeUndefined();
});

test("WEB-06: audit records are paged newest first, each once", async () => {
  await using kit = await startConsole();
  const { token } = await tokenFor(kit, "read");
  for (let at = 0; at < 5; at += 1) await tokenFor(kit, "talk");
  const seen: number[] = [];
  for (let after = ""; ;) {
    const { rows, next } = (await kit.gateway.ask(`/api/audit?limit=2&type=pairing${after}`, { token })).json;
    seen.push(...(rows as { seq: number }[]).map(({ seq }) => seq));
    if (next === undefined) break;
    after = `&after=${next}`;
  }
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  expect(new Set(seen).size).toBe(6);
});

test("WEB-08: no secret of the configuration is sent, and none is taken", async () => {
  await using served = await serveConsole("", 'api_key = "canary-4711"');
  const [, code = ""] = /#code=(\d+)$/.exec(served.address) ?? [];
  const paired = await fetch(`${served.url}/pair`, post({ code }));
  const { token } = (await paired.json()) as { token: string };
  const authorization = `Bearer ${token}`;
  const config = await fetch(`${served.url}/api/config`, { headers: { authorization } });
  const text = await config.text();
  expect(text).not.toContain("canary-4711");
  expect(JSON.parse(text).values).toMatchObject({ api_key: "********" });
  for (const key of ["api_key", "gateway.token"]) {
    const reply = await fetch(`${served.url}/api/config`, {
      ...post({ changes: { [key]: "other" } }, authorization),
      method: "PATCH",
    });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining("CONSOLE_SECRET_KEY")]);
  }
});

function post(body: object, authorization = ""): RequestInit {
  const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

test("WEB-10: a code gives no scope that its maker lacks", async () => {
  await using kit = await startConsole();
  const { token } = await tokenFor(kit, "talk,manage");
  const make = (may: readonly string[]) => kit.gateway.ask("/api/devices/codes", { body: { may }, token });
  const refused = await make(["talk", "read"]);
  expect([refused.status, refused.json.error.code]).toEqual([403, "GATEWAY_SCOPE_BEYOND"]);
  const { code } = (await make(["talk"])).json;
  const { may } = (await kit.gateway.ask("/pair", { body: { code } })).json;
  expect(may).toEqual(["talk"]);
});

/** Reads a list page by page, two rows at a time. */
async function pagesOf(kit: ConsoleKit, path: string, token: string): Promise<readonly object[][]> {
  const pages: object[][] = [];
  for (let after = ""; ;) {
    const asked = `${path}?limit=2${after && `&after=${encodeURIComponent(after)}`}`;
    const { rows, next } = (await kit.gateway.ask(asked, { token })).json;
    pages.push(rows);
    if (next === undefined) return pages;
    after = next;
  }
}

test("WEB-10: devices are paged in the order in which they were paired, each once", async () => {
  await using kit = await startConsole();
  const made: string[] = [];
  for (let at = 0; at < 5; at += 1) made.push((await tokenFor(kit, "manage")).device_id);
  const { token, device_id } = await tokenFor(kit, "manage");
  const pages = (await pagesOf(kit, "/api/devices", token)) as Device[][];
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
  const ids = pages.flat().map((one) => one.device_id);
  expect(ids.toSorted()).toEqual([...made, device_id].toSorted());
});

test("WEB-10: alerts are paged, each once", async () => {
  const parts = ["kiln", "lathe", "press", "saw", "wheel"];
  const rows = parts.map((what) => ({ what, state: "fail", detail: "it stands" }) as const);
  const broken = definePlugin({
    name: "broken",
    provides: [Checks],
    setup: (host) => host.provide(Checks, { name: "broken", kind: "ready", run: async () => rows }),
  });
  const config = { alerts: { every_seconds: 1, tell_owner: false } };
  await using kit = await startConsole({ plugins: [broken], config });
  const { token } = await tokenFor(kit, "read");
  const told = async () => (await kit.gateway.ask("/api/alerts", { token })).json.rows.length;
  await expect.poll(told, { timeout: 10_000 }).toBe(5);
  const pages = (await pagesOf(kit, "/api/alerts", token)) as { what: string }[][];
  expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(
    pages
      .flat()
      .map(({ what }) => what)
      .toSorted(),
  ).toEqual(parts);
});

test("WEB-10: every route under the console states its scope and stands in the description", async () => {
  await using kit = await startConsole();
  const { token } = await tokenFor(kit, "read");
  const { paths } = (await kit.gateway.ask("/api/openapi.json", { token })).json;
  const scopeOf = (path: string, method: string) => paths[path]?.[method]?.security?.[0]?.token;
  expect({
    sessions: scopeOf("/api/sessions", "get"),
    audit: scopeOf("/api/audit", "get"),
    status: scopeOf("/api/status", "get"),
    plugins: scopeOf("/api/plugins", "get"),
    jobs: scopeOf("/api/jobs", "get"),
    devices: scopeOf("/api/devices", "get"),
    config: scopeOf("/api/config", "patch"),
    turns: scopeOf("/api/turns", "post"),
    approvals: scopeOf("/api/approvals/events", "get"),
  }).toEqual({
    sessions: ["talk"],
    audit: ["read"],
    status: ["read"],
    plugins: ["read"],
    jobs: ["read"],
    devices: ["manage"],
    config: ["manage", "talk", "read", "decide"],
    turns: ["talk"],
    approvals: ["decide"],
  });
});

test("WEB-12: pages of 2,000 sessions follow each other without a repeat", async () => {
  await using kit = await startConsole();
  const { sessions } = kit.gateway.host.slot(Store);
  const add = (at: number) => sessions.append(`s${at}`, [{ role: "user", parts: textParts(`word ${at}`) }]);
  for (let at = 0; at < 2_000; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(at + i)));
  const { token } = await tokenFor(kit, "talk,read");
  const { rows, next } = (await kit.gateway.ask("/api/sessions?limit=50", { token })).json;
  expect(rows).toHaveLength(50);
  const second = (
    await kit.gateway.ask(`/api/sessions?limit=50&after=${encodeURIComponent(next)}`, { token })
  ).json;
  const ids = [...rows, ...second.rows].map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(100);
});
