import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../helpers/cli.ts";
import { HostileUpstream, type Mode } from "./hostile-upstream.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
const modes: readonly Mode[] = [
  "401",
  "403",
  "404",
  "400",
  "malformed",
  "broken",
  "500",
  "429",
  "dropped",
  "late",
];

/** Secrets that no pattern knows by their looks. */
class Canaries {
  readonly #values = new Map<string, string>();

  of(name: string): string {
    const value =
      this.#values.get(name) ??
      `zq${name.replaceAll(/\W|_/g, "")}${randomBytes(6).toString("hex")}${name.startsWith("url") ? "" : "/+q"}`;
    this.#values.set(name, value);
    return value;
  }

  /** The names of those that stand in a text, in any of the ways they could be written. */
  in(text: string): string[] {
    return [...this.#values]
      .filter(([, value]) => forms(value).some((form) => text.includes(form)))
      .map(([name]) => name);
  }
}

function forms(value: string): string[] {
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + value)
      .toString("base64")
      .slice(shift + 3, -6),
  );
  return [
    value,
    encodeURIComponent(value),
    encodeURIComponent(encodeURIComponent(value)),
    JSON.stringify(value).slice(1, -1),
    ...base64,
  ];
}

interface World {
  readonly name: string;
  readonly toml: string;
  readonly env: Readonly<Record<string, string>>;
  /** Below the configuration directory. */
  readonly files: Readonly<Record<string, string>>;
  /** Canaries that must have come to the upstream, so that the search had something to find. */
  readonly sent: readonly string[];
}

const limits = (id: string): string => `[providers.${id}]\nmax_retries = 0\ntimeout_seconds = 1`;
const chatapp = (secrets: string): string =>
  `[channels_config.chatapp]\nphone_number_id = "1"\nallowed_numbers = ["*"]\n${secrets}`;
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

function worlds(url: string, at: Canaries): World[] {
  const host = url.slice("http://".length);
  const base = (main: string, fallbacks: readonly string[], top: string, rest: string): string =>
    [
      top,
      `default_provider = "${main}"\ndefault_model = "m"`,
      `[reliability]\nfallback_providers = ${JSON.stringify(fallbacks)}`,
      "[gateway]\nport = 0\npairing_code_length = 24",
      "[security]\nredact_pii = false",
      '[agent]\nautonomy_level = "autonomous"',
      `[endpoints]\ngraph_url = "${url}"\nhosted_url = "${url}/hosted"\ngenlang_url = "${url}/late/v1beta"`,
      `genlang_internal_url = "${url}/v1internal"\noauth_token_url = "${url}/token"`,
      ...["custom", "messages-custom", "genlang", "hostedllm", "local-a"]
        .filter((id) => !rest.includes(`[providers.${id}]`))
        .map((id) => limits(id)),
      rest,
    ].join("\n");
  const keyed = (id: string): string => `${limits(id)}\napi_key = "${at.of(`table-${id}`)}"`;
  const others = [
    `messages-custom:${url}`,
    "hostedllm",
    `custom:https://${host}/tls`,
    `custom:http://user:${at.of("url-password")}@127.0.0.1:9/refused`,
    "genlang",
  ];
  const allSecrets = `access_token = "${at.of("access-token")}"\nverify_token = "${at.of("verify-token")}"\napp_secret = "${at.of("app-secret")}"`;
  const tokens = (name: string, expiry: number): object => ({
    access_token: at.of(`${name}-access`),
    refresh_token: at.of(`${name}-refresh`),
    client_id: "client",
    client_secret: at.of(`${name}-client`),
    expiry_date: expiry,
  });
  const profile = { provider: "genlang", name: "default", ...tokens("profile", 1) };
  return [
    {
      name: "file",
      toml: base(
        `custom:${url}/late`,
        [...others.slice(0, 4), "local-a", "genlang"],
        `api_key = "${at.of("api-key")}"\napi_url = "${url}/local"`,
        [keyed("hostedllm"), keyed("local-a"), keyed("genlang"), chatapp(allSecrets)].join("\n"),
      ),
      env: {},
      files: {},
      sent: ["api-key", "table-hostedllm", "table-local-a", "table-genlang", "access-token"],
    },
    {
      name: "variables",
      toml: base(
        "local-a",
        [`custom:${url}`, ...others.slice(0, 3), "genlang"],
        `api_key = "\${THE_KEY}"\napi_url = "${url}/local"`,
        chatapp(""),
      ),
      env: {
        THE_KEY: at.of("by-variable"),
        LOCALA_API_KEY: at.of("LOCALA_API_KEY"),
        HOSTEDLLM_API_KEY: at.of("HOSTEDLLM_API_KEY"),
        GENLANG_API_KEY: at.of("GENLANG_API_KEY"),
        SERVICE_CHATAPP_ACCESS_TOKEN: at.of("env-access-token"),
        SERVICE_CHATAPP_VERIFY_TOKEN: at.of("env-verify-token"),
        SERVICE_CHATAPP_APP_SECRET: at.of("env-app-secret"),
      },
      files: {},
      sent: ["by-variable", "HOSTEDLLM_API_KEY", "GENLANG_API_KEY", "env-access-token"],
    },
    {
      name: "own-variables",
      toml: base(`custom:${url}`, others, "", chatapp(allSecrets)),
      env: {
        SERVICE_API_KEY: at.of("SERVICE_API_KEY"),
        CLOUDVENDOR_API_KEY: at.of("CLOUDVENDOR_API_KEY"),
        HOSTEDLLM_API_KEY: at.of("HOSTEDLLM_API_KEY"),
      },
      files: {},
      sent: ["SERVICE_API_KEY", "CLOUDVENDOR_API_KEY"],
    },
    {
      name: "logins",
      toml: base(
        `custom:http://user:${at.of("url-main")}@${host}`,
        ["genlang", `messages-custom:${url}`],
        "",
        chatapp(allSecrets),
      ),
      env: { API_KEY: at.of("API_KEY") },
      files: {
        "auth-profiles.json": JSON.stringify({
          version: 1,
          active: { genlang: "genlang:default" },
          profiles: { "genlang:default": profile },
        }),
        "home/.gemini/oauth_creds.json": JSON.stringify(tokens("vendor", 1)),
        "home/.gemini-two-home/.gemini/oauth_creds.json": JSON.stringify(
          tokens("rotation", Date.now() + 3_600_000),
        ),
      },
      sent: ["API_KEY", "profile-refresh", "profile-client", "vendor-refresh", "rotation-access"],
    },
    {
      name: "proxy",
      toml: base(
        "custom:https://models.example.invalid/v1",
        ["genlang"],
        `api_key = "${at.of("proxied-key")}"`,
        chatapp(allSecrets),
      ),
      env: { HTTPS_PROXY: `http://user:${at.of("url-proxy")}@${host}`, API_KEY: "" },
      files: { "home/.gemini/oauth_creds.json": JSON.stringify(tokens("vendor", Date.now() + 3_600_000)) },
      sent: ["url-proxy", "vendor-access"],
    },
  ];
}

const commands: readonly (readonly string[])[] = [
  ["status"],
  ["status", "--json"],
  ["doctor"],
  ["doctor", "--json"],
  ["channel", "doctor"],
  ["plugins", "list"],
  ["plugins", "inspect", "provider-genlang"],
  ["plugins", "inspect", "channel-chatapp"],
  ["auth", "status"],
  ["config", "get", "api_key"],
  ["config", "get", "default_provider"],
  ["config", "get", "providers"],
  ["config", "get", "channels_config.chatapp"],
  ["config", "get", "reliability.fallback_providers"],
  ["config", "set", "default_model", "n"],
  ["models", "refresh", "--provider", "MAIN"],
  ["models", "refresh", "--provider", "genlang"],
  ["models", "refresh", "--provider", "hostedllm"],
  ["warmup", "--provider", "MAIN"],
  ["warmup", "--provider", "genlang"],
  ["agent", "-m", "hello", "--debug"],
  ["agent", "-m", "hello", "--json"],
  ["pair", "list"],
  ["policy", "explain", "shell", '{"command":"ls"}'],
];

/** Every text that leaves, with where it was found; what a world's own files hold is theirs. */
async function live(
  world: World,
  at: Canaries,
  upstream: HostileUpstream,
  own: readonly (readonly string[])[],
): Promise<Map<string, string>> {
  using home = tempDir(world.toml);
  for (const [name, text] of Object.entries(world.files)) {
    mkdirSync(path.dirname(path.join(home.dir, name)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home.dir, name), text, { mode: 0o600 });
  }
  const run = { dir: home.dir, env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...world.env } };
  const found = new Map<string, string>();
  const { child, ended } = startGantry(["daemon", "--debug"], run);
  const ready = await said(child, "stderr", /Gantry is ready/);
  const gateway = /"url":"([^"]+)"/.exec(ready)?.[1] ?? "";
  const code = /Pairing code: (\d+)/.exec(ready)?.[1] ?? "";
  const ask = async (name: string, to: string, init: RequestInit): Promise<string> => {
    const response = await fetch(`${gateway}${to}`, init);
    const text = await response.text();
    found.set(
      `${name} answer ${found.size}`,
      `${response.status} ${JSON.stringify([...response.headers])} ${text}`,
    );
    return text;
  };
  await ask("/pair, wrong", "/pair", post({ code: "000000" }));
  const paired = await (await fetch(`${gateway}/pair`, post({ code }))).json();
  const { token } = paired as { token: string };
  const bearer = { authorization: `Bearer ${token}` };
  await ask("/pair, used", "/pair", post({ code }));
  const chat = async (stream: boolean): Promise<string> =>
    ask("/api/chat", "/api/chat", post({ message: "hello", stream }, bearer));
  const appSecret = world.env["SERVICE_CHATAPP_APP_SECRET"] ?? at.of("app-secret");
  const deliver = (id: string, signature?: string): Promise<string> => {
    const message = {
      from: "491",
      id,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      type: "text",
      text: { body: "hello" },
    };
    const body = JSON.stringify({
      object: "o",
      entry: [{ id: "e", changes: [{ field: "messages", value: { messages: [message] } }] }],
    });
    const good = createHmac("sha256", appSecret).update(body).digest("hex");
    return ask("/chatapp", "/chatapp", post(body, { "x-hub-signature-256": signature ?? `sha256=${good}` }));
  };
  await ask("GET /chatapp", "/chatapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong", {});
  await deliver("unsigned", "sha256=00");
  upstream.mode = "said";
  await chat(false);
  await chat(true);
  if (world.name !== "proxy") {
    await deliver("one");
    await upstream.until(() => upstream.replies.length > 0);
  }
  upstream.mode = "call";
  await chat(true);
  for (const mode of modes) {
    upstream.mode = mode;
    await chat(mode === "broken" || mode === "500");
  }
  await deliver("two");
  child.kill("SIGTERM");
  const end = await ended;
  expect(end.code).toBe(0);
  // The code is said at the start, to the person at the machine.
  found.set("daemon", end.out + end.err.replace(/(?:Pairing code: |\/console#code=)\d+/g, ""));
  const main = /default_provider = "([^"]+)"/.exec(world.toml)?.[1] ?? "";
  for (const [i, words] of own.entries()) {
    upstream.mode = modes[i % modes.length] as Mode;
    const { out, err } = await gantry(
      words.map((word) => (word === "MAIN" ? main : word)),
      run,
    );
    found.set(`gantry ${words.join(" ")} (${upstream.mode})`, out + err);
  }
  for (const [place, text] of filesOf(home.dir)) {
    if (place === "config.toml" || place in world.files) continue;
    found.set(place, text);
    expect(
      text.includes(code) || text.includes(token),
      `the pairing code or the token stands in ${place}`,
    ).toBe(false);
  }
  for (const [place, text] of found) {
    const told = text.includes(token) || text.includes(code);
    expect(told, `the pairing code or the token stands in ${place}`).toBe(false);
  }
  return found;
}

function filesOf(dir: string): Map<string, string> {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    names.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(dir, file), readFileSync(file, "latin1")];
    }),
  );
}

const at = new Canaries();
for (const [i, name] of ["file", "variables", "own-variables", "logins", "proxy"].entries()) {
  test.concurrent(
    `PRV-13: no failing path shows a secret that came by ${name}`,
    { timeout: 600_000 },
    async () => {
      const upstream = new HostileUpstream();
      upstream.secretOf = (which) => at.of(which);
      try {
        const world = worlds(await upstream.start(), at)[i] as World;
        const own = commands.filter((_, n) => long || n % 5 === i);
        const found = await live(world, at, upstream, own);
        expect(at.in(upstream.seen)).toEqual(expect.arrayContaining([...world.sent]));
        const leaks = [...found].flatMap(([place, text]) =>
          at.in(text).map((secret) => `${secret} in ${place}: ${excerpt(text, at.of(secret))}`),
        );
        for (const reply of upstream.replies)
          leaks.push(...at.in(reply).map((secret) => `${secret} in a reply`));
        expect(leaks).toEqual([]);
      } finally {
        upstream.stop();
      }
    },
  );
}

test(
  "CFG-03: a configuration that is refused never shows the secrets in it",
  { timeout: 300_000 },
  async () => {
    const mine = new Canaries();
    const key = mine.of("wrong-line");
    const files = [
      `api_key = "${key}`,
      `api_key = ${key}`,
      `api_key = ["${key}"]`,
      `api_key = { "${key}" = 1 }\nprovider_api = "${key}"`,
      `api_kye = "${key}"\n[providers.genlang]\napi_keys = "${key}"`,
      `default_provider = "custom:ftp://user:${key}@host/?key=${key}"\n[reliability]\nfallback_providers = ["custom:user:${key}@host"]`,
      `[channels_config.chatapp]\naccess_token = 5\nverify_token = "${key}"\napp_secrets = "${key}"\nallowed_numbers = ["${key}"]`,
      `[endpoints]\ngraph_url = 5\ngenlang_url = "ftp://user:${key}@host?key=${key}"`,
      `[plugins_config.weather]\ntoken = "${key}"`,
    ];
    const shown = files.map(async (toml) => {
      using home = tempDir(toml);
      const { code, out, err } = await gantry(["status", "--debug"], { dir: home.dir });
      expect(code).toBe(2);
      return out + err;
    });
    const typed = [
      ["config", "set", "api_key", key],
      ["config", "set", "providers.genlang.api_key", `"${key}"`],
      ["config", "set", "gateway.port", key],
      ["config", "set", "channels_config.chatapp.app_secret", key],
      ["config", "set", "default_provider", `custom:ftp://user:${key}@host`],
      ["config", "set", "default_provider", `custom:https://user:${key}@host/v1?key=${key}`],
      ["config", "set", "endpoints.graph_url", `https://user:${key}@host`],
      ["auth", "login", "--provider", "genlang", "--api-key", key],
      ["agent", "-m", "hello", "--provider", `custom:http://user:${key}@127.0.0.1:9/?key=${key}`],
      ["agent", "-m", "hello", "--provider", `nonsense:user:${key}@host`],
      ["onboard", "--provider", "custom:http://127.0.0.1:9/v1", "--api-key", key, "--yes"],
    ];
    const said = typed.map(async (words) => {
      using home = tempDir("");
      const { out, err } = await gantry(words, { dir: home.dir });
      const audit = filesOf(home.dir).get("audit.jsonl") ?? "";
      return `${words.join(" ").replaceAll(key, "KEY")}: ${out}${err}${audit}`;
    });
    const texts = await Promise.all([...shown, ...said]);
    expect(texts.filter((text) => mine.in(text).length > 0)).toEqual([]);
  },
);

function excerpt(text: string, secret: string): string {
  const where = Math.max(...forms(secret).map((form) => text.indexOf(form)));
  return text.slice(Math.max(0, where - 160), where + 40);
}
