import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Commands, type CheckRow, type CommandContext } from "@gantry/sdk";
import type { TestHost } from "@gantry/sdk/testing";
import { gantry, tempDir } from "./helpers/cli.ts";
import { fallbacks, serveKeys as serve, startKeyed as start, stubKeys } from "./helpers/key-servers.ts";

beforeEach(() => stubKeys());
afterEach(() => vi.unstubAllEnvs());

type Options = CommandContext["options"];

async function run(t: TestHost, name: string, options: Options): Promise<readonly string[]> {
  const out: string[] = [];
  const signal = AbortSignal.timeout(60_000);
  const say = (line: string): void => void out.push(line);
  const told = { args: [], options, out: say, err: say, interactive: false, signal, serve: async () => 1 };
  await t.slot(Commands).get(name)?.run(told);
  return out;
}

const rowsOf = async (t: TestHost): Promise<readonly CheckRow[]> =>
  JSON.parse((await run(t, "status", { json: true })).join("")).rows;

test("FLR-22: a custom: fallback is not sent the key of genlang", async () => {
  await using server = await serve();
  using home = tempDir(
    [
      'default_provider = "genlang"\ndefault_model = "g1"\napi_key = "GENLANG-SECRET"',
      `[reliability]\nfallback_providers = ["${server.custom}"]`,
      '[endpoints]\ngenlang_url = "http://127.0.0.1:9/v1beta"\n[providers.genlang]\nmax_retries = 0\n',
    ].join("\n"),
  );
  expect(await gantry(["agent", "-m", "hi"], { dir: home.dir })).toMatchObject({ code: 0, out: "ok\n" });
  expect(server.keys()).toEqual([null]);
});

test.each(["custom:", "messages-custom:"])(
  "FLR-22: --provider %s of another server is not sent the key of default_provider",
  async (kind) => {
    await using own = await serve();
    await using other = await serve();
    const at = kind === "custom:" ? other.custom : other.messages;
    await using t = await start({ default_provider: own.custom, api_key: "OWN" });
    expect(await t.ask("hi", { provider: at })).toMatchObject({ reply: "ok" });
    await run(t, "models refresh", { provider: at });
    await run(t, "warmup", { provider: at });
    expect(other.keys()).toEqual([null, null, null]);
    expect(await t.ask("hi")).toMatchObject({ reply: "ok" });
    expect(own.keys()).toEqual(["OWN"]);
  },
);

test("FLR-22: of two custom: servers only the default one gets api_key", async () => {
  await using own = await serve(401);
  await using other = await serve();
  await using t = await start({ default_provider: own.custom, api_key: "OWN", ...fallbacks(other.custom) });
  expect(await t.ask("hi")).toMatchObject({ reply: "ok", provider: other.custom });
  expect([own.keys(), other.keys()]).toEqual([["OWN"], [null]]);
});

test("FLR-22: agent.provider is not sent the key of another default_provider", async () => {
  await using own = await serve();
  await using other = await serve();
  const config = { default_provider: own.custom, api_key: "OWN", agent: { provider: other.custom } };
  await using t = await start(config);
  expect(await t.ask("hi")).toMatchObject({ provider: other.custom });
  expect([own.keys(), other.keys()]).toEqual([[], [null]]);
});

test("FLR-22: an alias and a trailing slash name the same provider", async () => {
  await using server = await serve();
  const endpoints = { hosted_url: server.origin };
  await using slash = await start({ default_provider: `${server.custom}/`, api_key: "ONE" });
  await slash.ask("hi", { provider: server.custom });
  await using alias = await start({ default_provider: "hosted", api_key: "TWO", endpoints });
  await alias.ask("hi", { provider: "hostedllm" });
  expect(server.keys()).toEqual(["ONE", "TWO"]);
});

test("FLR-22: a key in the table of an address reaches that address alone", async () => {
  await using own = await serve();
  await using other = await serve();
  const providers = { [`${other.custom}/`]: { api_key: "OTHER" } };
  await using t = await start({ default_provider: own.custom, providers });
  for (const provider of [own.custom, other.custom, own.messages]) await t.ask("hi", { provider });
  expect([own.keys(), other.keys()]).toEqual([[null, null], ["OTHER"]]);
});

test.each(["custom", "messages-custom"])(
  "FLR-22: a key under [providers.%s] reaches the address in default_provider alone",
  async (kind) => {
    await using own = await serve();
    await using other = await serve();
    const at = (server: typeof own) => (kind === "custom" ? server.custom : server.messages);
    await using t = await start({ default_provider: at(own), providers: { [kind]: { api_key: "KIND" } } });
    await t.ask("hi");
    await t.ask("hi", { provider: at(other) });
    expect([own.keys(), other.keys()]).toEqual([["KIND"], [null]]);
  },
);

test("FLR-22: without a key in the file SERVICE_API_KEY, then API_KEY, go to custom:", async () => {
  await using server = await serve();
  const config = { default_provider: "genlang", api_key: "GENLANG" };
  for (const name of ["API_KEY", "SERVICE_API_KEY"]) {
    vi.stubEnv(name, name);
    await using t = await start(config);
    await t.ask("hi", { provider: server.custom });
  }
  expect(server.keys()).toEqual(["API_KEY", "SERVICE_API_KEY"]);
});

const cure = (id: string) =>
  "api_key is not sent there, since it belongs to default_provider, which is not set; " +
  `set default_provider, or providers.${id}.api_key`;

test("FLR-22: api_key without default_provider goes nowhere, and the refusal says why", async () => {
  await using server = await serve(401);
  await using t = await start({ api_key: "ORPHAN", endpoints: { genlang_url: server.origin } });
  for (const [provider, key] of [
    [server.custom, `"${server.custom}"`],
    [server.messages, `"${server.messages}"`],
    ["genlang", "genlang"],
    ["groq", "groq"],
  ] as const) {
    const { error } = await t.ask("hi", { provider });
    expect(error?.message).toContain(cure(key));
    await expect(run(t, "models refresh", { provider })).rejects.toThrow(cure(key));
  }
  expect(server.keys()).not.toContain("ORPHAN");
});

test("FLR-22: the key that a refusal names is the cure and holds no secret", async () => {
  await using server = await serve(401);
  const provider = server.custom.replace("//", "//me:hunter2hunter2@");
  const config = { default_provider: "genlang", api_key: "GENLANG" };
  await using t = await start(config);
  const { message = "" } = (await t.ask("hi", { provider })).error ?? {};
  expect(message).not.toContain("hunter2");
  const [, named = ""] = /set providers\."([^"]+)"\.api_key/.exec(message) ?? [];
  await using cured = await start({ ...config, providers: { [named]: { api_key: "MINE" } } });
  await cured.ask("hi", { provider: server.custom });
  expect(server.keys().at(-1)).toBe("MINE");
});

test("FLR-22: status tells the key of each fallback, and why one has none", async () => {
  const ids = ["custom:http://127.0.0.1:1/v1", "messages-custom:http://127.0.0.1:2", "groq", "local-b"];
  const keyed = "custom:http://127.0.0.1:3/v1";
  const providers = { [keyed]: { api_key: "KEYED" } };
  const config = { default_provider: "gemini", api_key: "GENLANG", providers, ...fallbacks(...ids, keyed) };
  await using t = await start(config);
  const rows = (await rowsOf(t)).filter(({ what }) => /^(fallback )?provider( \d)?$/.test(what));
  const sources = rows.map(({ detail }) => /credential: ([^);]*)/.exec(detail)?.[1]);
  expect(sources).toEqual(["config", "none", "none", "none", "none", "config"]);
  expect(rows.map(({ state }) => state)).toEqual(["ok", "warn", "warn", "fail", "ok", "ok"]);
  for (const [i, id] of [`"${ids[0]}"`, `"${ids[1]}"`, "groq"].entries())
    expect(rows[i + 1]?.cure).toBe(
      `api_key is not sent there, since it belongs to default_provider (gemini); set providers.${id}.api_key.`,
    );
});
