import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { OAuth2Server } from "oauth2-mock-server";
import { expect, test } from "vitest";
import { Checks, Commands } from "@gantry/sdk";
import type { CommandContext } from "@gantry/sdk";
import { home, start } from "./vendor.test-kit.ts";

/** A real OAuth server on loopback, which checks PKCE and signs its id tokens. */
async function oauthServer() {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "localhost");
  const url = server.issuer.url ?? "";
  server.service.on(
    "beforeTokenSigning",
    (token: { payload: Record<string, unknown> }) => (token.payload["email"] = "me@example.org"),
  );
  return {
    server,
    endpoints: { oauth_authorize_url: `${url}/authorize`, oauth_token_url: `${url}/token` },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

const client = {
  plugins_config: {
    "provider-genlang": { oauth_client_id: "my-client", oauth_client_secret: "CANARY-secret" },
  },
};

interface Ran {
  readonly out: string[];
  readonly err: string[];
  readonly code: Promise<number>;
  /** The address that the person is asked to open. */
  readonly address: Promise<URL>;
}

function word(
  host: Awaited<ReturnType<typeof start>>["host"],
  name: string,
  options: CommandContext["options"] = {},
  input?: CommandContext["input"],
): Ran {
  const out: string[] = [];
  const err: string[] = [];
  const address = Promise.withResolvers<URL>();
  const command = host.slot(Commands).get(name);
  const run: CommandContext = {
    args: [],
    options,
    ...(input && { input }),
    interactive: true,
    signal: new AbortController().signal,
    out: (line) => void out.push(line),
    err(line) {
      err.push(line);
      if (line.startsWith("http")) address.resolve(new URL(line));
    },
    serve: async () => 0,
  };
  const code = command ? command.run(run) : Promise.reject(new Error(`no word ${name}`));
  code.catch((error: unknown) => address.reject(error));
  address.promise.catch(() => undefined);
  return { out, err, code, address: address.promise };
}

const saved = (name: string): object => ({
  provider: "genlang",
  name,
  access_token: `CANARY-${name}`,
  refresh_token: "CANARY-r",
  expiry_date: 4_102_444_800_000,
  account: "me@example.org",
});

/** Returns the address to which the server sends the browser. */
async function redirectOf(address: URL): Promise<URL> {
  const answer = await fetch(address, { redirect: "manual" });
  return new URL(answer.headers.get("location") ?? "");
}

test("GEN-13: auth login with PKCE on a loopback port writes auth-profiles.json, 0600, in one step", async () => {
  using clean = home();
  await using oauth = await oauthServer();
  await using genlang = await start({ endpoints: oauth.endpoints, config: client, configDir: clean.path });
  const login = word(genlang.host, "auth login", { provider: "gemini", profile: "work" });
  const address = await login.address;
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    client_id: "my-client",
    response_type: "code",
    code_challenge_method: "S256",
    access_type: "offline",
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/oauth2callback$/),
  });
  const page = await fetch(await redirectOf(address));
  expect(await page.text()).toContain("You can close this window");
  expect(await login.code).toBe(0);
  expect(login.out.join()).toContain("Logged in as me@example.org: genlang:work is the active profile.");

  const path = join(clean.path, "auth-profiles.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(clean.path).filter((name) => name.includes(".tmp"))).toEqual([]);
  const file = JSON.parse(readFileSync(path, "utf8"));
  expect(file).toMatchObject({ version: 1, active: { genlang: "genlang:work" } });
  expect(file.profiles["genlang:work"]).toMatchObject({
    provider: "genlang",
    name: "work",
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    client_id: "my-client",
    account: "me@example.org",
    expiry_date: expect.any(Number),
  });
  expect(await genlang.provider.credential?.()).toBe("auth-profiles");
  expect([...login.out, ...login.err].join("\n")).not.toContain("CANARY");

  const refreshed = await genlang.provider.warmup?.(new AbortController().signal);
  expect(refreshed).toContain("ready with the OAuth token of auth-profiles");
});

test("GEN-13: a token from the login is refreshed at the same server when it has ended", async () => {
  using clean = home();
  await using oauth = await oauthServer();
  await using genlang = await start({ endpoints: oauth.endpoints, config: client, configDir: clean.path });
  const login = word(genlang.host, "auth login", { provider: "genlang" });
  await fetch(await redirectOf(await login.address));
  await login.code;
  const path = join(clean.path, "auth-profiles.json");
  const file = JSON.parse(readFileSync(path, "utf8"));
  const before = file.profiles["genlang:default"];
  clean.put("auth-profiles.json", {
    ...file,
    profiles: { "genlang:default": { ...before, expiry_date: Date.now() - 1 } },
  });
  await genlang.provider.warmup?.(new AbortController().signal);
  const after = JSON.parse(readFileSync(path, "utf8")).profiles["genlang:default"];
  expect(after.expiry_date).toBeGreaterThan(Date.now() + 60_000);
});

test("GEN-13: a refused refresh at the OAuth server names the login as the cure", async () => {
  using clean = home();
  await using oauth = await oauthServer();
  oauth.server.service.on("beforeResponse", (answer: { statusCode: number; body: object }) => {
    answer.statusCode = 400;
    answer.body = { error: "invalid_grant" };
  });
  const old = {
    provider: "genlang",
    name: "d",
    access_token: "at-old",
    refresh_token: "rt-old",
    client_id: "my-client",
    expiry_date: 1,
  };
  clean.put("auth-profiles.json", {
    version: 1,
    active: { genlang: "genlang:d" },
    profiles: { "genlang:d": old },
  });
  await using genlang = await start({ endpoints: oauth.endpoints, config: client, configDir: clean.path });
  await expect(genlang.provider.warmup?.(new AbortController().signal)).rejects.toMatchObject({
    code: "GENLANG_REFRESH_FAILED",
    message: expect.stringMatching(/invalid_grant.*`gantry auth login --provider genlang`/),
  });
});

test("GEN-13: with --paste the address that the browser ended at is pasted, and no port is opened", async () => {
  using clean = home();
  const typed = Promise.withResolvers<string>();
  const input: CommandContext["input"] = {
    bytes: () => (async function* () {})(),
    async *lines() {
      yield* ["", `  ${await typed.promise}  `];
    },
  };
  await using oauth = await oauthServer();
  await using genlang = await start({ endpoints: oauth.endpoints, config: client, configDir: clean.path });
  const login = word(genlang.host, "auth login", { provider: "genlang", paste: true }, input);
  const redirect = await redirectOf(await login.address);
  expect(redirect.port, "a port that browsers refuse").toBe("1");
  typed.resolve(redirect.href);
  expect(await login.code).toBe(0);
  expect(JSON.parse(readFileSync(join(clean.path, "auth-profiles.json"), "utf8")).active).toEqual({
    genlang: "genlang:default",
  });
});

test.each<[string, (redirect: URL) => void, RegExp]>([
  ["a wrong code", (url) => url.searchParams.set("code", "forged"), /not completed/],
  [
    "access_denied",
    (url) => (url.search = `?error=access_denied&state=${url.searchParams.get("state")}`),
    /access_denied/,
  ],
])("GEN-13: an answer with %s is refused, and nothing is written", async (_, change, message) => {
  using clean = home();
  await using oauth = await oauthServer();
  await using genlang = await start({ endpoints: oauth.endpoints, config: client, configDir: clean.path });
  const login = word(genlang.host, "auth login", { provider: "genlang" });
  const redirect = await redirectOf(await login.address);
  change(redirect);
  await fetch(redirect);
  await expect(login.code).rejects.toMatchObject({
    code: "GENLANG_LOGIN_FAILED",
    message: expect.stringMatching(message),
  });
  expect(readdirSync(clean.path)).not.toContain("auth-profiles.json");
});

test("GEN-13: whoever asks with another state or none ends no login, which is then completed", async () => {
  using clean = home();
  await using oauth = await oauthServer();
  await using genlang = await start({ endpoints: oauth.endpoints, config: client, configDir: clean.path });
  const login = word(genlang.host, "auth login", { provider: "genlang" });
  const redirect = await redirectOf(await login.address);
  const forged = new URL(redirect);
  forged.searchParams.set("state", "forged");
  const bare = new URL(redirect);
  bare.searchParams.delete("state");
  for (const stray of [forged, bare]) expect((await fetch(stray)).status).toBe(400);
  expect(readdirSync(clean.path)).not.toContain("auth-profiles.json");
  expect((await fetch(redirect)).status).toBe(200);
  expect(await login.code).toBe(0);
});

test("GEN-13: without an OAuth client the message says what is needed", async () => {
  using clean = home();
  await using genlang = await start({ configDir: clean.path });
  await expect(word(genlang.host, "auth login", { provider: "genlang" }).code).rejects.toMatchObject({
    code: "GENLANG_NO_CLIENT",
    exit: 2,
    message: expect.stringContaining("oauth_client_id"),
  });
});

test.each<[string, CommandContext["options"], string]>([
  ["no provider", {}, "USAGE"],
  ["another provider", { provider: "hostedllm" }, "GENLANG_AUTH_PROVIDER"],
  ["a bad profile name", { provider: "genlang", profile: "../x" }, "GENLANG_PROFILE_NAME"],
])("GEN-13: auth login with %s is wrong usage", async (_, options, code) => {
  using clean = home({}, { SERVICE_GENLANG_CLIENT_ID: "c" });
  await using genlang = await start({ configDir: clean.path });
  await expect(word(genlang.host, "auth login", options).code).rejects.toMatchObject({ code, exit: 2 });
});

test("GEN-13: auth status shows logins without secrets; auth logout removes one, and another becomes active", async () => {
  using clean = home();
  clean.put("auth-profiles.json", {
    version: 1,
    active: { genlang: "genlang:a" },
    profiles: { "genlang:a": saved("a"), "genlang:b": saved("b") },
  });
  await using genlang = await start({ configDir: clean.path });
  const status = word(genlang.host, "auth status");
  expect(await status.code).toBe(0);
  expect(status.out).toEqual([
    "genlang: credential: auth-profiles",
    "  genlang:a (active, me@example.org, token until 2100-01-01T00:00:00.000Z)",
    "  genlang:b (me@example.org, token until 2100-01-01T00:00:00.000Z)",
  ]);
  const json = word(genlang.host, "auth status", { json: true });
  await json.code;
  expect(JSON.parse(json.out[0] ?? "")).toMatchObject({
    source: { genlang: "auth-profiles" },
    profiles: [{ active: true }, { active: false }],
  });
  expect(status.out.concat(json.out).join()).not.toContain("CANARY");

  expect(await word(genlang.host, "auth logout", { provider: "genlang" }).code).toBe(0);
  const file = JSON.parse(readFileSync(join(clean.path, "auth-profiles.json"), "utf8"));
  expect([file.active, Object.keys(file.profiles)]).toEqual([{ genlang: "genlang:b" }, ["genlang:b"]]);
  expect(await word(genlang.host, "auth logout", { provider: "genlang" }).code).toBe(0);
  await expect(word(genlang.host, "auth logout", { provider: "genlang" }).code).rejects.toMatchObject({
    code: "GENLANG_NO_PROFILE",
  });
});

test("GEN-13: `status` says where a login is open to others or cannot be read, and is silent where all is well", async () => {
  using clean = home({ ".gemini/oauth_creds.json": "{" });
  const path = join(clean.path, "auth-profiles.json");
  clean.put("auth-profiles.json", {
    version: 1,
    active: { genlang: "genlang:a" },
    profiles: { "genlang:a": saved("a") },
  });
  await using genlang = await start({ configDir: clean.path });
  const check = async () =>
    genlang.host.slot(Checks).get("genlang-logins")?.run(new AbortController().signal);
  chmodSync(path, 0o644);
  expect(await check()).toMatchObject([
    {
      what: "auth-profiles.json",
      state: "fail",
      detail: "open to other users (mode 644)",
      cure: expect.stringContaining("chmod 600"),
    },
    { what: "~/.gemini/oauth_creds.json", state: "fail", detail: expect.stringContaining("it is not JSON") },
  ]);
  chmodSync(path, 0o600);
  clean.put(".gemini/oauth_creds.json", { access_token: "a" });
  expect(await check()).toEqual([]);
  clean.put("auth-profiles.json", "[]");
  expect(await check()).toMatchObject([{ what: "auth-profiles.json", state: "fail" }]);
});
