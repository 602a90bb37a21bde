import { renameSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { freePort, Platform } from "./e2e/platform.ts";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

interface ChatService {
  readonly platform: Platform;
  readonly dir: string;
  write(from: string, text: string): Promise<boolean>;
}

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly log: () => string;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null }>;
}

async function serve(
  at: string | NonNullable<Parameters<typeof startGantry>[1]>,
  ...args: readonly string[]
): Promise<Service> {
  const run = typeof at === "string" ? { dir: at } : at;
  const { child, ended } = startGantry(args.length > 0 ? args : ["daemon"], run);
  let log = "";
  child.stderr?.on("data", (piece: string) => (log += piece));
  await said(child, "stderr", /Gantry is ready/);
  return {
    url: /"url":"([^"]+)"/.exec(log)?.[1] ?? "",
    log: () => log,
    signal: (name) => void child.kill(name),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function statusAt(url: string, host: string): Promise<number> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/health`, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}

test("CFG-10: config reload applies the file to the running service, which status then says", async () => {
  using home = tempDir(`[gateway]\nport = ${await freePort()}\n`);
  await using service = await serve(home.dir);
  const row = async (): Promise<unknown> => {
    const { rows } = JSON.parse((await gantry(["status", "--json"], { dir: home.dir })).out) as {
      rows: readonly { readonly what: string }[];
    };
    return rows.find(({ what }) => what === "service");
  };
  expect(await row()).toMatchObject({ state: "ok" });
  expect(await statusAt(service.url, "gantry.example")).toBe(403);

  const set = await gantry(["config", "set", "gateway.allowed_hosts", '["gantry.example"]'], {
    dir: home.dir,
  });
  expect([set.code, set.err]).toEqual([
    0,
    expect.stringMatching(
      /^The service that runs \(process \d+\) takes this up with: gantry config reload\n$/,
    ),
  ]);
  expect(await row()).toMatchObject({ state: "warn", cure: "Run `gantry config reload`." });
  expect(await statusAt(service.url, "gantry.example")).toBe(403);
  expect(await gantry(["config", "reload"], { dir: home.dir })).toEqual({
    code: 0,
    out: "Applied: gateway.allowed_hosts\n",
    err: "",
  });
  expect(await statusAt(service.url, "gantry.example")).toBe(200);
  expect(await row()).toMatchObject({ state: "ok" });
  expect(service.log()).toContain("The configuration was read again: gateway.allowed_hosts changed.");
  expect(service.log().match(/Pairing code/g)).toHaveLength(1);
});

test("CFG-10: OPS-02: what service.env says now is taken up by config reload, and the environment of the service still wins", async () => {
  const hosts = 'allowed_hosts = ["${GANTRY_T_RENEWED}", "${GANTRY_T_OWN}"]';
  using home = tempDir(`[gateway]\nport = ${await freePort()}\n${hosts}\n`);
  const file = path.join(home.dir, "service.env");
  const say = (name: string): void =>
    writeFileSync(file, `GANTRY_T_RENEWED=${name}.example\nGANTRY_T_OWN=file.example\n`, { mode: 0o600 });
  say("earlier");
  await using service = await serve({ dir: home.dir, env: { GANTRY_T_OWN: "own.example" } });
  const answers = async (): Promise<readonly number[]> =>
    Promise.all(["earlier", "later", "own", "file"].map((name) => statusAt(service.url, `${name}.example`)));
  expect(await answers()).toEqual([200, 403, 200, 403]);
  say("later");
  service.signal("SIGHUP");
  await expect
    .poll(service.log)
    .toContain("The configuration was read again: gateway.allowed_hosts changed.");
  expect(await answers()).toEqual([403, 200, 200, 403]);
});

test("CFG-10: what does not start changes nothing, and is told to whoever asked", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  await using service = await serve(home.dir);
  writeFileSync(home.file, "[gateway]\nprot = 0\n");
  expect(await gantry(["config", "reload"], { dir: home.dir })).toMatchObject({
    code: 2,
    err: expect.stringContaining("CONFIG_UNKNOWN_KEY") as string,
  });
  service.signal("SIGHUP");
  await expect.poll(service.log).toMatch(/The configuration in force stays: .*unknown key `gateway\.prot`/);
  expect(await statusAt(service.url, "127.0.0.1")).toBe(200);

  using taken = tempDir("[gateway]\nport = 0\n");
  await using other = await serve(taken.dir);
  writeFileSync(home.file, `[gateway]\nport = ${new URL(other.url).port}\n`);
  const { code, err } = await gantry(["config", "reload"], { dir: home.dir });
  expect([code, err]).toEqual([1, expect.stringMatching(/stays: Address already in use .*RELOAD_FAILED/)]);
  await expect
    .poll(
      () =>
        /"url":"([^"]+)"/.exec(
          service
            .log()
            .split("\n")
            .findLast((line) => line.includes('"url"')) ?? "",
        )?.[1],
    )
    .not.toBe(service.url);
});

const atLast = [
  '{"choices":[{"index":0,"delta":{"content":"At last."}}]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  "[DONE]",
]
  .map((data) => `data: ${data}\n\n`)
  .join("");

test("FLR-16: config reload refuses a file that is gone, and what runs stays", async () => {
  const allowed = 'allowed_hosts = ["gantry.example"]';
  using home = tempDir(`[gateway]\nport = 0\n${allowed}\n`);
  await using service = await serve(home.dir);
  renameSync(home.file, `${home.file}.gone`);
  expect(await gantry(["config", "reload"], { dir: home.dir })).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /Config file not found at .*: put it back, then run `gantry config reload`\./,
    ) as string,
  });
  for (const word of ["status", "doctor"]) {
    const { out } = await gantry([word], { dir: home.dir });
    expect(out).toMatch(/! configuration .*, by which the running service goes on\n *→ Put the file back/);
    expect(out).not.toMatch(/config init|is not what .* says now/);
  }
  expect(await statusAt(service.url, "gantry.example")).toBe(200);
  service.signal("SIGHUP");
  await expect.poll(service.log).toMatch(/The configuration in force stays: Config file not found at .*\n/);
  renameSync(`${home.file}.gone`, home.file);
  expect(await gantry(["config", "reload"], { dir: home.dir })).toMatchObject({ code: 0 });
});

test("FLR-23: gateway and daemon warn at their start if no provider is configured", async () => {
  const words = "Channels and HTTP get no answer. No provider configured: set `default_provider`";
  using empty = tempDir();
  await using bare = await serve(empty.dir, "gateway", "--port", "0");
  expect(bare.log()).toContain(words);
  using chosen = tempDir('default_provider = "demo"\n');
  await using meant = await serve(chosen.dir, "gateway", "--port", "0");
  expect(meant.log()).not.toContain(words);
});

test("CFG-10: a turn under way ends as it began, a port of the command line stays, and so does the process", async () => {
  const held: ServerResponse[] = [];
  const raw = (response: ServerResponse): void => void held.push(response);
  await using model = await startModel({ raw }, "At once.");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = 1\n`);
  await using service = await serve(home.dir, "gateway", "--port", String(await freePort()));
  const token = (await gantry(["pair", "token"], { dir: home.dir })).out.trim();
  const chat = (message: string): Promise<{ reply: string }> =>
    fetch(`${service.url}/api/chat`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ message }),
    }).then((response) => response.json() as Promise<{ reply: string }>);
  const slow = chat("slow");
  await model.asked(1);
  expect(await gantry(["config", "reload"], { dir: home.dir })).toMatchObject({ code: 0 });
  expect(await chat("fast")).toMatchObject({ reply: "At once." });
  held[0]?.writeHead(200, { "content-type": "text/event-stream" }).end(atLast);
  expect(await slow).toMatchObject({ reply: "At last." });
});

test("CFG-10: without a service config reload says so; a stopped one leaves nothing behind", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const service = await serve(home.dir);
  service.signal("SIGTERM");
  expect((await service.ended).code).toBe(0);
  expect(await gantry(["config", "reload"], { dir: home.dir })).toMatchObject({
    code: 1,
    err: expect.stringContaining("NOT_RUNNING") as string,
  });
  const { readdirSync } = await import("node:fs");
  const left = readdirSync(path.join(home.dir, "state"));
  expect(left.filter((name) => /lock|running/.test(name))).toEqual([]);
});

/** The daemon with the chat-app, which asks this model. */
async function serveChat(model: ModelServer, keys: string = ""): Promise<ChatService> {
  const platform = new Platform();
  const graph = await platform.start();
  const port = await freePort();
  const home = tempDir(
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"\n${keys}\n[gateway]\nport = ${port}`,
      `[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"\nallowed_numbers = ["*"]',
      `app_secret = "${platform.secret}"`,
    ].join("\n"),
  );
  const { child, ended } = startGantry(["daemon"], {
    dir: home.dir,
    env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
    platform.stop();
    home[Symbol.dispose]();
  });
  await said(child, "stderr", /Gantry is ready/);
  return {
    platform,
    dir: home.dir,
    write: (from, text) => platform.deliver(`http://127.0.0.1:${port}`, from, `id-${from}-${text}`, text),
  };
}

test("USE-03: CFG-10: messages that wait for a spent budget go on once it was raised and the file read again", async () => {
  await using model = await startModel("Here.");
  const { platform, dir, write } = await serveChat(model, "[budget]\ntokens_per_day = 0");
  for (const from of ["491", "492"]) await write(from, "hello");
  await platform.until(() => platform.replies.length === 2);
  expect(platform.replies[0]?.body).toMatch(/^I cannot answer now; your message is kept/);
  await gantry(["config", "set", "budget.tokens_per_day", "1000"], { dir });
  expect((await gantry(["config", "reload"], { dir })).out).toMatch("budget.tokens_per_day");
  await platform.until(() => platform.replies.length === 4);
  const answers = platform.replies.slice(2).map(({ to, body }) => `${to} ${body}`);
  expect(answers.toSorted()).toEqual(["491 Here.", "492 Here."]);
});

test("INB-01: CFG-10: a message whose turn fails after the file was read again is tried by what serves now, and waits for nothing that nobody looks for", async () => {
  const { promise: held, resolve } = Promise.withResolvers<ServerResponse>();
  await using model = await startModel({ raw: resolve }, "Here.");
  const { platform, dir, write } = await serveChat(model);
  await write("491", "hello");
  const first = await held;
  await gantry(["config", "reload"], { dir });
  first.writeHead(401).end();
  await platform.until(() => platform.replies.length === 1);
  expect(platform.replies.map(({ body }) => body)).toEqual(["Here."]);
});
