import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { startModel } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly log: () => string;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<{ readonly code: number | null }>;
}

async function serve(dir: string, ...args: readonly string[]): Promise<Service> {
  const { child, ended } = startGantry(args.length > 0 ? args : ["daemon"], { dir });
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

const port = 20_000 + (process.pid % 20_000);

test("CFG-10: config reload applies the file to the running service, which status then says", async () => {
  using home = tempDir(`[gateway]\nport = ${port}\n`);
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

test("CFG-10: a turn under way ends as it began, a port of the command line stays, and so does the process", async () => {
  const held: ServerResponse[] = [];
  const raw = (response: ServerResponse): void => void held.push(response);
  await using model = await startModel({ raw }, "At once.");
  using home = tempDir(`default_provider = "${model.provider}"\ndefault_model = "m"\n[gateway]\nport = 1\n`);
  await using service = await serve(home.dir, "gateway", "--port", String(port + 1));
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
