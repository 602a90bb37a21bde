import { afterEach, expect, test, vi } from "vitest";
import { Checks } from "@gantry/sdk";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { home, lastOf, sentence, start, textOf, vendor } from "./vendor.test-kit.ts";
import type { Route, Seen } from "./vendor.test-kit.ts";

const HOUR = 3_600_000;
const NOW = Date.now();
const MAIN = ".gemini/oauth_creds.json";
const EXTRA = ".gemini-b-home/.gemini/oauth_creds.json";
const EXTRA2 = ".gemini-c-home/.gemini/oauth_creds.json";
const signal = new AbortController().signal;

const creds = (name: string, more: object = {}): object => ({
  access_token: `at-${name}`,
  refresh_token: `rt-${name}`,
  client_id: "client-1",
  client_secret: "secret-1",
  expiry_date: Date.now() + HOUR,
  ...more,
});
const nested = (text: string): object => ({ response: sentence(text) });
const fresh: Route = ({ body }) => ({
  json: { access_token: `new-${body.refresh_token}`, expires_in: 3600, token_type: "Bearer" },
});
const routes = (more: Readonly<Record<string, Route>> = {}): Readonly<Record<string, Route>> => ({
  ":loadCodeAssist": () => ({ json: { cloudaicompanionProject: "project-1" } }),
  "/token": fresh,
  ":streamGenerateContent": ({ auth }) => ({ sse: [nested(auth ?? "")] }),
  ...more,
});

afterEach(() => void vi.useRealTimers());

test("GEN-05: OAuth goes as a Bearer to the internal address, in the envelope, and the answer is under response", async () => {
  using _ = home({ [MAIN]: creds("main") });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  const events = await genlang.chat("hi", { temperature: 1 });
  expect(textOf(events)).toBe("Bearer at-main");
  expect(events.slice(-2)).toEqual([
    { type: "usage", inputTokens: 7, outputTokens: 3 },
    { type: "stop", reason: "EndTurn" },
  ]);
  const [asked] = server.at(":streamGenerateContent");
  expect(asked).toMatchObject({
    method: "POST",
    path: "/v1internal:streamGenerateContent",
    query: { alt: "sse" },
    auth: "Bearer at-main",
  });
  expect(asked?.body).toEqual({
    model: "gemini-x",
    project: "project-1",
    user_prompt_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
    request: {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      generationConfig: { temperature: 1, maxOutputTokens: 8192 },
    },
  });
  expect(server.at("/token")).toEqual([]);
});

test("GEN-05: an internal server without streaming is asked with :generateContent", async () => {
  using _ = home({ [MAIN]: creds("main") });
  await using server = await vendor({
    ...routes(),
    ":streamGenerateContent": () => ({ status: 404, json: {} }),
    ":generateContent": () => ({ json: nested("whole") }),
  });
  await using genlang = await start({ endpoints: server.endpoints });
  expect(textOf(await genlang.chat("hi"))).toBe("whole");
});

test.each<[string, unknown, boolean]>([
  ["an hour ahead", { expiry_date: NOW + HOUR }, false],
  ["just over 60 s ahead", { expiry_date: NOW + 60_001 }, false],
  ["60 s ahead", { expiry_date: NOW + 60_000 }, true],
  ["past", { expiry_date: NOW - 1 }, true],
  ["unknown", { expiry_date: undefined }, true],
  ["unreadable", { expiry_date: "soon", expiry: "later" }, true],
  ["RFC 3339 ahead", { expiry_date: undefined, expiry: new Date(NOW + HOUR).toISOString() }, false],
  ["RFC 3339 past", { expiry_date: undefined, expiry: "2024-01-01T00:00:00Z" }, true],
])("GEN-06: a token whose expiry is %s", async (_, expiry, refreshed) => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  using clean = home({ [MAIN]: creds("main", expiry as object) });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  expect(textOf(await genlang.chat("hi"))).toBe(refreshed ? "Bearer new-rt-main" : "Bearer at-main");
  const [request] = server.at("/token");
  expect(request?.body).toEqual(
    refreshed
      ? {
          grant_type: "refresh_token",
          refresh_token: "rt-main",
          client_id: "client-1",
          client_secret: "secret-1",
        }
      : undefined,
  );
  expect(
    JSON.parse(readFileSync(join(clean.path, MAIN), "utf8")).access_token,
    "the vendor CLI's file is never written",
  ).toBe("at-main");
});

test("GEN-06: the fields may be in camelCase, and the client may stand in the id token", async () => {
  const idToken = `x.${Buffer.from(JSON.stringify({ aud: "client-9" })).toString("base64url")}.x`;
  using _ = home({ [MAIN]: { accessToken: "a", refreshToken: "r", idToken, clientSecret: "s" } });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  expect(textOf(await genlang.chat("hi"))).toBe("Bearer new-r");
  expect(server.at("/token")[0]?.body).toMatchObject({ client_id: "client-9", client_secret: "s" });
});

test("GEN-06: parallel turns refresh once, and later turns use what was refreshed", async () => {
  using _ = home({ [MAIN]: creds("main", { expiry_date: 1 }) });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  const answers = await Promise.all(Array.from({ length: 10 }, () => genlang.chat("hi")));
  expect(new Set(answers.map(textOf))).toEqual(new Set(["Bearer new-rt-main"]));
  await genlang.chat("hi");
  expect(server.at("/token")).toHaveLength(1);
});

test("GEN-06: a refused refresh is one sentence with the cure, and shows no secret", async () => {
  using _ = home({ [MAIN]: creds("CANARY", { client_secret: "CANARY-secret", expiry_date: 1 }) });
  const said = { error: "invalid_grant", error_description: "rt-CANARY was revoked, CANARY-secret too" };
  await using server = await vendor(routes({ "/token": () => ({ status: 400, json: said }) }));
  await using genlang = await start({ endpoints: server.endpoints });
  const events = await genlang.chat("hi");
  expect(lastOf(events)).toMatchObject({
    type: "error",
    failure: {
      code: "GENLANG_REFRESH_FAILED",
      message: expect.stringMatching(/oauth_creds\.json.*invalid_grant.*log in again/),
    },
  });
  expect(JSON.stringify([events, genlang.host.logs])).not.toContain("CANARY");
});

test.each<[string, object, RegExp]>([
  [
    "no refresh token and it is past",
    { refresh_token: undefined, expiry_date: 1 },
    /has expired.*no refresh_token/,
  ],
  [
    "no client",
    { client_id: undefined, client_secret: undefined, expiry_date: 1 },
    /does not say which OAuth client/,
  ],
])("GEN-06: a token with %s is told with the cure", async (_, more, message) => {
  using clean = home({ [MAIN]: creds("main", more) });
  expect(clean.path).not.toBe("");
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi")).failure.message).toMatch(message);
});

test("GEN-06: a token that the server no longer takes is refreshed once and the request sent again", async () => {
  using _ = home({ [MAIN]: creds("main") });
  await using server = await vendor(
    routes({
      ":streamGenerateContent": ({ auth }) =>
        auth === "Bearer at-main" ? { status: 401, json: {} } : { sse: [nested("ok")] },
    }),
  );
  await using genlang = await start({ endpoints: server.endpoints });
  expect(textOf(await genlang.chat("hi"))).toBe("ok");
  expect(server.at("/token")).toHaveLength(1);
});

test.each<[string, Record<string, string>, string, number]>([
  ["CLOUD_PROJECT", { CLOUD_PROJECT: "p1", CLOUD_PROJECT_ID: "p2" }, "p1", 0],
  ["CLOUD_PROJECT_ID", { CLOUD_PROJECT_ID: "p2" }, "p2", 0],
  ["loadCodeAssist, asked once", {}, "project-1", 1],
])("GEN-07: the project comes from %s", async (_, env, project, loads) => {
  using clean = home({ [MAIN]: creds("main") }, env);
  expect(clean.path).not.toBe("");
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  await genlang.chat("hi");
  await genlang.chat("hi");
  expect(server.at(":streamGenerateContent").map(({ body }) => body.project)).toEqual([project, project]);
  expect(server.at(":loadCodeAssist")).toHaveLength(loads);
  expect(server.at(":loadCodeAssist").every(({ auth }) => auth === "Bearer at-main")).toBe(true);
});

test("GEN-07: an account without a project is told what to do", async () => {
  using _ = home({ [MAIN]: creds("main") });
  await using server = await vendor(routes({ ":loadCodeAssist": () => ({ json: { currentTier: {} } }) }));
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi"))).toMatchObject({
    failure: { code: "GENLANG_NO_PROJECT", message: expect.stringContaining("CLOUD_PROJECT") },
  });
});

test.each([429, 500, 503])(
  "GEN-08: on %d the next credential file is used, its token refreshed, the request sent again, and stays in use",
  async (status) => {
    using _ = home({ [MAIN]: creds("main"), [EXTRA]: creds("b"), [EXTRA2]: creds("c") });
    const served = ({ auth }: Seen) =>
      auth === "Bearer new-rt-c" ? { sse: [nested("ok")] } : { status, json: {} };
    await using server = await vendor(routes({ ":streamGenerateContent": served }));
    await using genlang = await start({ endpoints: server.endpoints });
    expect(textOf(await genlang.chat("hi"))).toBe("ok");
    expect(server.at(":streamGenerateContent").map(({ auth }) => auth)).toEqual([
      "Bearer at-main",
      "Bearer new-rt-b",
      "Bearer new-rt-c",
    ]);
    expect(server.at("/token").map(({ body }) => body.refresh_token)).toEqual(["rt-b", "rt-c"]);
    expect(textOf(await genlang.chat("hi"))).toBe("ok");
    expect(server.at(":streamGenerateContent")).toHaveLength(4);
  },
);

test("GEN-08: where every credential is limited, the first failure is told, and another try may help", async () => {
  using _ = home({ [MAIN]: creds("main"), [EXTRA]: creds("b") });
  await using server = await vendor(
    routes({ ":streamGenerateContent": () => ({ status: 429, json: {}, headers: { "retry-after": "3" } }) }),
  );
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi"))).toMatchObject({
    failure: { code: "PROVIDER_RATE_LIMIT", status: 429, retry: true, retryAfterMs: 3_000 },
  });
  expect(server.at(":streamGenerateContent")).toHaveLength(2);
});

test("GEN-08: a bad request does not rotate", async () => {
  using _ = home({ [MAIN]: creds("main"), [EXTRA]: creds("b") });
  await using server = await vendor(
    routes({ ":streamGenerateContent": () => ({ status: 400, json: { error: { message: "too long" } } }) }),
  );
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi"))).toMatchObject({
    failure: { code: "PROVIDER_REQUEST", message: expect.stringContaining("too long") },
  });
  expect(server.at(":streamGenerateContent")).toHaveLength(1);
});

test.each([
  ["not JSON", "{"],
  ["a list", "[]"],
  ["empty", "{}"],
  ["of wrong types", '{"access_token": 5}'],
  ["with a header inside", '{"access_token": "a\\r\\nx: y"}'],
])("GEN-08: a credential file that is %s is told, and the next one serves", async (_, content) => {
  using clean = home({ [MAIN]: content });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi"))).toMatchObject({
    failure: {
      code: "GENLANG_CREDENTIAL_BROKEN",
      message: expect.stringContaining("~/.gemini/oauth_creds.json"),
    },
  });
  clean.put(EXTRA, creds("b"));
  expect(textOf(await genlang.chat("hi"))).toBe("Bearer new-rt-b");
  expect(genlang.host.logs).toContainEqual(
    expect.objectContaining({
      level: "warn",
      detail: expect.objectContaining({ code: "GENLANG_CREDENTIAL_BROKEN" }),
    }),
  );
});

test("GEN-09: an endpoint that rejects generationConfig is asked again without it", async () => {
  using _ = home({ [MAIN]: creds("main") });
  const message = 'Invalid JSON payload received. Unknown name "generationConfig" at request';
  const answer: Route = ({ body }) =>
    body.request.generationConfig ? { status: 400, json: { error: { message } } } : { sse: [nested("ok")] };
  await using server = await vendor(routes({ ":streamGenerateContent": answer }));
  await using genlang = await start({ endpoints: server.endpoints });
  expect(textOf(await genlang.chat("hi"))).toBe("ok");
  const [first, second] = server.at(":streamGenerateContent");
  expect(second?.body.request).toEqual({ contents: first?.body.request.contents });
});

const profile = { provider: "genlang", name: "default", ...creds("profile") };
const profiles = {
  version: 1,
  active: { genlang: "genlang:default" },
  profiles: { "genlang:default": profile },
};

test("GEN-04: the five sources in their order, each by its name", async () => {
  using clean = home();
  await using genlang = await start({});
  const put = (value: unknown): void => clean.put("config/auth-profiles.json", value);
  await using managed = await start({ configDir: join(clean.path, "config") });
  await using configured = await start({ configDir: join(clean.path, "config"), config: { api_key: "k" } });
  const sources = async (): Promise<unknown[]> => [
    await genlang.provider.credential?.(),
    await managed.provider.credential?.(),
    await configured.provider.credential?.(),
  ];
  expect(await sources()).toEqual(["none", "none", "config"]);
  clean.put(MAIN, creds("main"));
  expect(await sources()).toEqual(["vendor CLI OAuth", "vendor CLI OAuth", "config"]);
  put(profiles);
  expect(await sources()).toEqual(["vendor CLI OAuth", "auth-profiles", "config"]);
  process.env["CLOUDVENDOR_API_KEY"] = "k";
  expect(await sources()).toEqual(["CLOUDVENDOR_API_KEY env var", "CLOUDVENDOR_API_KEY env var", "config"]);
  process.env["GENLANG_API_KEY"] = "k";
  expect(await sources()).toEqual(["GENLANG_API_KEY env var", "GENLANG_API_KEY env var", "config"]);
});

test("GEN-04: another provider's api_key is not sent here; the provider's own is", async () => {
  using _ = home({}, { GENLANG_API_KEY: "from-env" });
  await using other = await start({ config: { api_key: "CANARY", default_provider: "hostedllm" } });
  expect(await other.provider.credential?.()).toBe("GENLANG_API_KEY env var");
  await using own = await start({
    config: { api_key: "CANARY", default_provider: "hostedllm", providers: { gemini: { api_key: "mine" } } },
  });
  expect(await own.provider.credential?.()).toBe("config");
});

test("GEN-06: a managed login is refreshed into its own file, 0600, and nothing else in it changes", async () => {
  using clean = home();
  const other = { provider: "else", name: "x", access_token: "theirs" };
  clean.put("config/auth-profiles.json", {
    ...profiles,
    note: "kept",
    profiles: { "genlang:default": { ...profile, expiry_date: 1 }, "else:x": other },
  });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints, configDir: join(clean.path, "config") });
  expect(textOf(await genlang.chat("hi"))).toBe("Bearer new-rt-profile");
  const path = join(clean.path, "config/auth-profiles.json");
  const file = JSON.parse(readFileSync(path, "utf8"));
  expect(file).toMatchObject({
    version: 1,
    note: "kept",
    active: profiles.active,
    profiles: { "else:x": other },
  });
  expect(file.profiles["genlang:default"]).toMatchObject({
    access_token: "new-rt-profile",
    refresh_token: "rt-profile",
    client_id: "client-1",
  });
  expect(file.profiles["genlang:default"].expiry_date).toBeGreaterThan(Date.now() + HOUR - 10_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ["not JSON", "{", "GENLANG_CREDENTIAL_BROKEN"],
  ["of another shape", '{"version":1,"profiles":[]}', "GENLANG_CREDENTIAL_BROKEN"],
  ["of a newer release", '{"version":2,"active":{},"profiles":{}}', "GENLANG_PROFILES_NEWER"],
  [
    "without the active profile",
    '{"version":1,"active":{"genlang":"genlang:gone"},"profiles":{}}',
    "GENLANG_CREDENTIAL_BROKEN",
  ],
])("GEN-04: an auth-profiles.json that is %s is told, not skipped", async (_, content, code) => {
  using clean = home();
  clean.put("config/auth-profiles.json", content);
  await using genlang = await start({ configDir: join(clean.path, "config") });
  expect(lastOf(await genlang.chat("hi"))).toMatchObject({ type: "error", failure: { code } });
});

test("GEN-10: without a credential the message lists the five options", async () => {
  using _ = home();
  await using genlang = await start({});
  const { failure } = lastOf(await genlang.chat("hi"));
  expect(failure.code).toBe("GENLANG_NO_CREDENTIAL");
  for (const option of [
    "GENLANG_API_KEY",
    "the vendor CLI",
    "`gantry auth login --provider genlang`",
    "obtain an API key",
    "`gantry onboard`",
  ]) {
    expect(failure.message).toContain(option);
  }
  await expect(genlang.provider.warmup?.(signal)).rejects.toMatchObject({
    code: "GENLANG_NO_CREDENTIAL",
    exit: 2,
  });
});

test("GEN-14: warmup with OAuth verifies and refreshes, and asks nothing else", async () => {
  using clean = home({ [MAIN]: creds("main") });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  expect(await genlang.provider.warmup?.(signal)).toMatch(
    /ready with the OAuth token of vendor CLI OAuth, valid until 2/,
  );
  expect(server.seen).toEqual([]);
  clean.put(MAIN, creds("late", { expiry_date: 1 }));
  await genlang.provider.warmup?.(signal);
  expect(server.seen.map(({ path }) => path)).toEqual(["/token"]);
  await expect(genlang.provider.models?.(signal)).rejects.toMatchObject({ code: "GENLANG_NO_MODEL_LIST" });
});

const clientless = { client_id: undefined, client_secret: undefined, expiry_date: 1 };
const cure =
  /run the vendor CLI \(`gemini`\) once, which renews it, or set oauth_client_id and oauth_client_secret/;

test("FLR-27: a vendor CLI's login without its client is told with the keys that help", async () => {
  using _ = home({ [MAIN]: creds("main", clientless) });
  await using server = await vendor(routes());
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi")).failure.message).toMatch(cure);
  const lines = genlang.host.logs.map(({ message }) => message);
  expect(lines.join()).not.toContain("trying the next credentials");
});

test("FLR-27: a vendor CLI's login whose client needs a secret is told with the key for it", async () => {
  using _ = home({ [MAIN]: creds("main", { client_secret: undefined, expiry_date: 1 }) });
  const json = { error: "invalid_request", error_description: "client_secret is missing." };
  await using server = await vendor(routes({ "/token": () => ({ status: 400, json }) }));
  await using genlang = await start({ endpoints: server.endpoints });
  expect(lastOf(await genlang.chat("hi")).failure.message).toMatch(cure);
});

test("FLR-27: status shows a vendor CLI's login that has ended and cannot be renewed", async () => {
  using _ = home({ [MAIN]: creds("main", clientless), [EXTRA]: creds("b") });
  await using genlang = await start({});
  const rows = await genlang.host.slot(Checks).get("genlang-logins")!.run(AbortSignal.timeout(9_000));
  expect(rows).toMatchObject([{ state: "fail", detail: expect.stringMatching(cure) }]);
});
