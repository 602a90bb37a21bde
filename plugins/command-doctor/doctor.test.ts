import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, test, vi } from "vitest";
import {
  directMessage,
  Checks,
  errors,
  Commands,
  definePlugin,
  type Check,
  type CheckRow,
  type CommandContext,
  Routes,
  type Plugin,
  type Route,
} from "@gantry/sdk";
import { Redactors, ModelRouter } from "@gantry/sdk/fill";
import { runtimeVerdict } from "../shared/runtime-floors.ts";
import {
  callRoute,
  createMemoryStore,
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import chatapp from "../channel-chatapp/index.ts";
import net from "../net-undici/index.ts";
import chat from "../provider-chat-completions/index.ts";
import { askAll } from "./ask.ts";
import doctor from "./index.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";

interface Told {
  readonly code: number;
  readonly lines: readonly string[];
  readonly ok: boolean;
  readonly rows: readonly CheckRow[];
}

async function tell(
  t: TestHost,
  word: string,
  options: CommandContext["options"] = { json: true },
): Promise<Told> {
  const lines: string[] = [];
  const run: CommandContext = {
    args: [],
    options,
    out: (line) => void lines.push(line),
    err: () => {},
    interactive: false,
    signal: new AbortController().signal,
    serve: async () => 0,
  };
  const code = (await t.slot(Commands).get(word)?.run(run)) ?? -1;
  return {
    code,
    lines,
    ...(options["json"]
      ? (JSON.parse(lines[0] ?? "{}") as Pick<Told, "ok" | "rows">)
      : { ok: true, rows: [] }),
  };
}

/** A host with a configuration file on disk, which the test host does not write by itself. */
async function start(
  plugins: readonly Plugin[],
  config: TestHostOptions["config"] = {},
  place: Pick<TestHostOptions, "configDir"> = {},
): Promise<TestHost> {
  const t = await startTestHost({ plugins: [doctor, ...plugins], config, ...place });
  await chmod(t.configDir, 0o700);
  await writeFile(t.runtime.configFile, "# as given\n", { mode: 0o600 });
  return t;
}

function checks(...values: readonly Check[]): Plugin {
  return definePlugin({
    name: "with-checks",
    provides: [Checks],
    setup: (host) => values.forEach((value) => host.provide(Checks, value)),
  });
}

/** The state that status gives the Node that runs this. */
const nodeState = runtimeVerdict(process.versions.node).state === "patched" ? "ok" : "warn";

const row = (what: string): CheckRow => ({ what, state: "ok", detail: "fine" });
const rowOf = (told: Told, what: string): CheckRow | undefined => told.rows.find((row) => row.what === what);

test("CLI-01: status names the people of [people], their roles and their doors", async () => {
  const people = {
    ada: { role: "owner", devices: ["laptop"] },
    bob: { role: "member" },
  };
  await using t = await start([fakeProvider(["hi"]), memoryStore()], { people });
  expect(rowOf(await tell(t, "status"), "people")).toEqual({
    what: "people",
    state: "ok",
    detail: "ada: owner by devices; bob: member, with no door",
  });
});

test("CLI-01: status says what is configured and in force, as a table and as one JSON object", async () => {
  await using t = await start([fakeProvider(["hi"]), memoryStore()], {
    default_provider: "fake",
    default_model: "fake-1",
  });
  const told = await tell(t, "status");
  expect(told).toMatchObject({ code: 0, ok: true });
  expect(told.rows.map(({ what, state }) => `${what} ${state}`)).toEqual([
    "configuration ok",
    "config directory ok",
    "workspace ok",
    `node ${nodeState}`,
    "plugins ok",
    "provider ok",
    "sandbox warn",
    "store ok",
  ]);
  expect(rowOf(told, "provider")?.detail).toBe("fake (model fake-1)");
  const table = await tell(t, "status", {});
  expect(table.lines[0]).toMatch(/^✔ configuration +\//);
  const warned = nodeState === "ok" ? 1 : 2;
  expect(table.lines.at(-1)).toBe(`${8 - warned} right, ${warned} to look at, 0 wrong`);
});

test("FLR-01: status has one row for the Node that runs it, doctor one more for each of its holes", async () => {
  await using t = await start([fakeProvider(["hi"]), memoryStore()], { default_provider: "fake" });
  const { said, holes } = runtimeVerdict(process.versions.node);
  const rows = async (word: string): Promise<readonly CheckRow[]> =>
    (await tell(t, word)).rows.filter(({ what }) => what === "node");
  const [row, ...more] = await rows("status");
  expect(more).toEqual([]);
  expect(row?.detail.endsWith(nodeState === "ok" ? t.runtime.version : said)).toBe(true);
  expect((await rows("doctor")).slice(1).map(({ detail }) => detail.split(":")[0])).toEqual(
    holes.map(({ ids }) => ids.join(", ")),
  );
});

test("CLI-01: without a configuration file the sentence of the contract is there, with its cure", async () => {
  await using t = await startTestHost({ plugins: [doctor, fakeProvider(["hi"])] });
  const row = rowOf(await tell(t, "status"), "configuration");
  expect(row?.detail).toContain(`Config file not found at ${t.runtime.configFile}`);
  expect(row?.cure).toContain("gantry config init");
});

test("CLI-01: a configuration that others can read is wrong, and doctor ends with 1", async () => {
  await using t = await start([fakeProvider(["hi"]), memoryStore()], { default_provider: "fake" });
  expect((await tell(t, "doctor")).code).toBe(0);
  await chmod(t.runtime.configFile, 0o644);
  const told = await tell(t, "doctor");
  expect(told).toMatchObject({ code: 1, ok: false });
  expect(rowOf(told, "configuration")).toMatchObject({
    state: "fail",
    cure: `Run \`chmod 600 ${t.runtime.configFile}\`.`,
  });
  expect((await tell(t, "status")).code).toBe(0);
});

test("CLI-01: a workspace that holds the configuration directory, as ~ does, is warned of", async () => {
  using home = tempDir();
  const configDir = path.join(home.dir, "config");
  await mkdir(configDir);
  await using t = await start([], { security: { workspace_path: ".." } }, { configDir });
  expect(rowOf(await tell(t, "status"), "workspace")).toMatchObject({
    state: "warn",
    detail: expect.stringContaining("holds the configuration directory"),
    cure: "Set security.workspace_path to a folder of its own.",
  });
});

test("FLR-35: a workspace that others may write, and one that is a home, are said with the cure", async () => {
  using home = tempDir();
  await using t = await start([], { security: { workspace_path: home.dir } });
  const row = async () => rowOf(await tell(t, "status"), "workspace");
  expect(await row()).toMatchObject({ state: "ok" });
  await chmod(home.dir, 0o1777);
  expect(await row()).toMatchObject({
    state: "warn",
    detail: expect.stringMatching(/other users may write it, so its AGENTS.md counts as material/),
    cure: `Run \`chmod go-w ${home.dir}\`.`,
  });
  await chmod(home.dir, 0o700);
  vi.stubEnv("HOME", home.dir);
  expect(await row()).toMatchObject({
    state: "warn",
    detail: expect.stringContaining("holds a home, so its AGENTS.md counts as material"),
    cure: "Set security.workspace_path to a folder of its own.",
  });
  vi.unstubAllEnvs();
});

test("CLI-01: doctor shows the rows of status and of doctor, status its own alone, and the same word is told once", async () => {
  const same = { run: async () => [row("both")] };
  const plugin = checks(
    { name: "a", kind: "status", ...same },
    { name: "b", kind: "doctor", ...same },
    { name: "c", kind: "doctor", run: async () => [row("reached")] },
    { name: "d", kind: "channel", run: async () => [row("platform")] },
    {
      name: "e",
      kind: "status",
      run: async () => [{ what: "sandbox", state: "ok", detail: "said by its plugin" }],
    },
  );
  await using t = await start([fakeProvider(["hi"]), plugin], { default_provider: "fake" });
  const named = async (word: string): Promise<string[]> => (await tell(t, word)).rows.map(({ what }) => what);
  expect(
    (await named("doctor")).filter((what) => ["both", "reached", "platform", "sandbox"].includes(what)),
  ).toEqual(["both", "reached", "sandbox"]);
  expect(await named("status")).not.toContain("reached");
  expect(await named("channel doctor")).toEqual(["platform"]);
});

test("WEB-10: the cure of a check of kind doctor is done, and refused once it is done", async () => {
  let isBroken = true;
  const run: Check["run"] = async () =>
    isBroken
      ? [
          {
            ...row("kiln"),
            state: "fail",
            fix: { label: "Heat it", run: async () => void (isBroken = false) },
          },
        ]
      : [row("kiln")];
  await using t = await start([fakeProvider(["hi"]), checks({ name: "kiln", kind: "doctor", run })]);
  await t.serve();
  const routeOf = (name: string): Route => t.slot(Routes).get(name)!;
  const { rows } = (await callRoute(routeOf("GET /api/doctor"))).json() as Told;
  expect(rows).toContainEqual(expect.objectContaining({ what: "kiln", fix: "Heat it" }));
  const press = () => callRoute(routeOf("POST /api/doctor/fix"), { body: { what: "kiln", fix: "Heat it" } });
  const first = await press();
  expect([first.status, isBroken]).toEqual([200, false]);
  const second = await press();
  expect([second.status, second.json()]).toMatchObject([403, { error: { code: "DOCTOR_NO_FIX" } }]);
});

test("CLI-01: a check that throws or answers nonsense is a failed row, and the others are told", async () => {
  const plugin = checks(
    { name: "throws", kind: "doctor", run: () => Promise.reject(new Error("no such device")) },
    {
      name: "throws at once",
      kind: "doctor",
      run: () => {
        throw new Error("at once");
      },
    },
    { name: "nonsense", kind: "doctor", run: async () => "fine" as unknown as CheckRow[] },
    { name: "half", kind: "doctor", run: async () => [{ what: "x", state: "maybe" } as unknown as CheckRow] },
  );
  await using t = await start([fakeProvider(["hi"]), plugin], { default_provider: "fake" });
  const told = await tell(t, "doctor");
  expect(told.code).toBe(1);
  expect(rowOf(told, "throws")?.detail).toContain("no such device");
  expect(rowOf(told, "throws at once")?.detail).toContain("at once");
  expect(rowOf(told, "nonsense")).toMatchObject({ state: "fail" });
  expect(rowOf(told, "half")).toMatchObject({ state: "fail" });
  expect(rowOf(told, "provider")).toMatchObject({ state: "ok" });
});

test("CLI-01: a check that hangs is a failed row after its time", async () => {
  const hangs: Check = { name: "hangs", kind: "doctor", run: () => new Promise(() => {}) };
  const rows = await askAll([hangs], 30, new AbortController().signal);
  expect(rows).toMatchObject([
    { what: "hangs", state: "fail", detail: "the check failed: it did not answer in 0.03 s" },
  ]);
  expect(await askAll([hangs], 60_000, AbortSignal.abort())).toMatchObject([
    { detail: "the check failed: it was cancelled" },
  ]);
});

test("CLI-01: no row shows a secret or a control sign, and a redactor that fails hides the text", async () => {
  let broken = false;
  const redactor = definePlugin({
    name: "redactor",
    provides: [Redactors],
    setup: (host) =>
      host.provide(Redactors, {
        name: "canary",
        holdBack: 0,
        redact(text) {
          if (broken) throw new Error("no");
          return text.replaceAll("sk-canary", "***");
        },
      }),
  });
  const leaky = checks({
    name: "leaky",
    kind: "status",
    run: async () => [
      { what: "leaky", state: "warn", detail: "key sk-canary\u001b[2Jgone\nnext", cure: "rotate sk-canary" },
    ],
  });
  await using t = await start([fakeProvider(["hi"]), redactor, leaky]);
  expect(rowOf(await tell(t, "status"), "leaky")).toEqual({
    what: "leaky",
    state: "warn",
    detail: "key ***gone next",
    cure: "rotate ***",
  });
  broken = true;
  expect(JSON.stringify((await tell(t, "status")).rows)).not.toContain("canary");
});

test("CLI-01: a provider that cannot be resolved, fallbacks and providers left alone are told", async () => {
  const router = definePlugin({
    name: "router",
    provides: [ModelRouter],
    setup: (host) =>
      host.provide(ModelRouter, {
        async *chat() {},
        cooling: () => [{ provider: "far", until: "2030-01-01T00:00:00.000Z", reason: "HTTP 503" }],
      }),
  });
  await using t = await start([fakeProvider(["hi"]), router], { default_provider: "nobody" });
  const told = await tell(t, "doctor");
  expect(told.code).toBe(1);
  expect(rowOf(told, "provider")).toMatchObject({
    state: "fail",
    detail: expect.stringContaining("`nobody`") as string,
  });
  expect(rowOf(told, "provider far")).toMatchObject({
    state: "warn",
    detail: "left alone until 2030-01-01T00:00:00.000Z: HTTP 503",
  });
});

test("CLI-01: doctor asks the provider: a wrong key, a model that is not offered and a server that is down are told apart", async () => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const right = request.headers.authorization === "Bearer sk-right";
    response.writeHead(right ? 200 : 401, { "content-type": "application/json" });
    response.end(
      right ? JSON.stringify({ data: [{ id: "small" }] }) : '{"error":{"message":"bad key sk-wrong-canary"}}',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const default_provider = `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    for (const [api_key, default_model, state] of [
      ["sk-right", "small", "ok"],
      ["sk-right", "large", "warn"],
      ["sk-wrong-canary", "small", "fail"],
    ] as const) {
      await using t = await start([net, chat], { default_provider, api_key, default_model });
      const told = await tell(t, "doctor");
      expect(rowOf(told, "provider")?.detail).toContain("credential: config");
      expect(rowOf(told, "provider answers")?.state).toBe(state);
      expect(JSON.stringify(told.rows)).not.toMatch(/sk-/);
    }
  } finally {
    server.close();
  }
  await using keyless = await start([net, chat], { default_provider });
  expect(rowOf(await tell(keyless, "status"), "provider")).toMatchObject({
    state: "ok",
    detail: expect.stringContaining("credential: none") as string,
  });
  await using hosted = await start([net, chat], { default_provider: "groq" });
  expect(rowOf(await tell(hosted, "status"), "provider")).toMatchObject({
    state: "fail",
    cure: expect.stringContaining("every turn fails without one") as string,
  });
  await using t = await start([net, chat], { default_provider, api_key: "sk-right" });
  expect(rowOf(await tell(t, "doctor"), "provider answers")).toMatchObject({
    state: "fail",
    detail: expect.stringContaining("cannot be reached") as string,
  });
  expect(seen.length).toBe(3);
});

test("CLI-01: dead letters are named with their reason", async () => {
  const store = createMemoryStore();
  await store.lanes.accept([directMessage({ channel: "chatapp", id: "wamid.1", from: "+1", text: "hi" })]);
  const [claim] = await store.lanes.claim(1, 1_000);
  if (claim) await store.lanes.deadLetter(claim, "the platform refused it");
  await using t = await start([fakeProvider(["hi"]), memoryStore(store)]);
  const row = rowOf(await tell(t, "status"), "dead letters");
  expect(row).toMatchObject({
    state: "warn",
    detail: expect.stringMatching(
      /^1 could not be answered: chatapp wamid\.1 .*the platform refused it/,
    ) as string,
  });
});

test("INB-02: what messages wait for is told with its reason, and how many conversations wait", async () => {
  const store = createMemoryStore();
  for (const from of ["+1", "+2"]) {
    await store.lanes.accept([directMessage({ channel: "chatapp", id: from, from, text: "hi" })]);
    const [claim] = await store.lanes.claim(1, 1_000);
    const retry = { afterMs: 60_000, reason: "API error: 401", waitsFor: "channel:chatapp" };
    if (claim) await store.lanes.retry(claim, retry);
  }
  await using t = await start([fakeProvider(["hi"]), memoryStore(store)]);
  expect(rowOf(await tell(t, "status"), "messages wait for channel:chatapp")).toMatchObject({
    state: "warn",
    detail: "in 2 conversations: API error: 401",
  });
});

test("CLI-01: an id that a stranger made long does not bury what else status says", async () => {
  const store = createMemoryStore();
  await store.lanes.accept([
    directMessage({ channel: "chatapp", id: "i".repeat(100_000), from: "+1", text: "hi" }),
  ]);
  const [claim] = await store.lanes.claim(1, 1_000);
  if (claim) await store.lanes.deadLetter(claim, "the platform refused it");
  await using t = await start([fakeProvider(["hi"]), memoryStore(store)]);
  const { detail } = rowOf(await tell(t, "status"), "dead letters") as { readonly detail: string };
  expect(detail).toMatch(/^1 could not be answered: chatapp i{80} \(/);
});

test("CHA-05: channel doctor asks GET {graph_url}/v18.0/{id} with the token and says what the platform said", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const right = request.headers.authorization === "Bearer good-token";
    response
      .writeHead(right ? 200 : 401, { "content-type": "application/json" })
      .end(right ? '{"id":"1234"}' : '{"error":{"message":"expired"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const graph_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env["SERVICE_ALLOW_INSECURE_LOOPBACK"] = "1";
  try {
    for (const [access_token, code] of [
      ["good-token", 0],
      ["stale-token", 1],
    ] as const) {
      const table = {
        access_token,
        phone_number_id: "1234",
        verify_token: "v",
        app_secret: "s",
        allowed_numbers: ["+15551234567"],
      };
      await using t = await start([net, memoryStore(), fakeProvider(["hi"]), chatapp], {
        endpoints: { graph_url },
        channels_config: { chatapp: table },
      });
      const told = await tell(t, "channel doctor");
      expect(told.code).toBe(code);
      expect(JSON.stringify(told.rows)).not.toContain(access_token);
      expect(JSON.stringify(told.rows).includes("API error: 401")).toBe(code === 1);
    }
  } finally {
    delete process.env["SERVICE_ALLOW_INSECURE_LOOPBACK"];
    server.close();
  }
  expect(seen).toEqual(["GET /v18.0/1234 Bearer good-token", "GET /v18.0/1234 Bearer stale-token"]);
});

test("CHA-05: channel doctor says so where no channel is configured", async () => {
  await using t = await start([fakeProvider(["hi"])]);
  expect(await tell(t, "channel doctor")).toMatchObject({
    code: 0,
    rows: [{ what: "channels", state: "warn" }],
  });
});

test("INB-04: doctor tells a full disk from a fault of its own, with the cure, and tells it once", async () => {
  const store = createMemoryStore();
  store.lanes.stats = () => Promise.reject(errors.STORE_FAILED("/var/lib/gantry/state.db", "ENOSPC"));
  await using t = await start([memoryStore(store), fakeProvider(["hi"])]);
  for (const word of ["status", "doctor"]) {
    const { ok, rows } = await tell(t, word);
    const about = rows.filter(({ detail }) => detail.includes("ENOSPC"));
    expect(about).toEqual([
      {
        what: "store",
        state: "fail",
        detail: expect.stringContaining("ENOSPC: check the free space and the owner of the file"),
      },
    ]);
    expect(ok).toBe(false);
    expect(rows.some(({ detail }) => detail.includes("the check failed"))).toBe(false);
  }
});

/** Returns the warnings at the start of a service whose configuration has these modes. */
async function warnings(folder: number, file: number): Promise<readonly string[]> {
  await using t = await start([memoryStore(), fakeProvider(["hi"])]);
  await chmod(t.configDir, folder);
  await chmod(t.runtime.configFile, file);
  await t.serve();
  return t.logs.filter(({ level }) => level === "warn").map(({ message }) => message);
}

test("CLI-01: a service whose configuration other users can read says so when it starts, with the cure; one mode that closes it is enough", async () => {
  expect(await warnings(0o755, 0o644)).toEqual([
    expect.stringMatching(/config\.toml is open to other users \(mode 644\)\. Run `chmod 600 /),
  ]);
  expect(await warnings(0o700, 0o644)).toEqual([]);
  expect(await warnings(0o755, 0o600)).toEqual([]);
});
