import { bundledPlugin, fakeChannel, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { gantry, said, startGantry } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const gateway = "[gateway]\nport = 0\n";

async function served<T>(dir: string, ask: (url: string, log: string) => Promise<T>): Promise<T> {
  const { child, ended } = startGantry(["gateway"], { dir });
  try {
    const log = await said(child, "stderr", /Gantry is ready/);
    return await ask(/"url":"([^"]+)"/.exec(log)?.[1] ?? "", log);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

function post(url: string, token: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

test("FLR-23: without a provider the gateway says so at its start and to each request", async () => {
  using home = tempDir(gateway);
  await served(home.dir, async (url, log) => {
    expect(log).toMatch(/"level":"warn".*No provider configured.*NO_PROVIDER|NO_PROVIDER.*No provider/);
    const token = (await gantry(["pair", "token"], { dir: home.dir })).out.trim();
    const messages = [{ role: "user", content: "hi" }];
    for (const [path, body] of [
      ["/api/chat", { message: "hi" }],
      ["/v1/chat/completions", { model: "gantry", messages }],
    ] as const) {
      const response = await post(`${url}${path}`, token, body);
      expect([response.status, await response.text()]).toEqual([
        503,
        expect.stringContaining("No provider configured"),
      ]);
    }
  });
});

test("FLR-23: a demo that is configured by name answers over HTTP", async () => {
  using home = tempDir(`default_provider = "demo"\n${gateway}`);
  await served(home.dir, async (url, log) => {
    expect(log).not.toContain("No provider configured");
    const token = (await gantry(["pair", "token"], { dir: home.dir })).out.trim();
    expect(await (await post(`${url}/api/chat`, token, { message: "hi" })).text()).toContain("demo");
  });
});

test("FLR-23: without a provider a channel's owner reads that none is configured", async () => {
  const channel = fakeChannel("chat", { owners: ["alice"] });
  const plugins = [channel, await bundledPlugin("provider-demo"), memoryStore()];
  await using t = await startTestHost({ plugins });
  await t.serve();
  await channel.receive({ text: "hi" });
  await channel.sentCount(1);
  expect(channel.sent[0]?.text).toContain("No provider configured");
});

test.for(['default_model = "m"\n', 'api_key = "k"\n', '[agent]\nmodel = "m"\n'])(
  "FLR-23: at the terminal the demo does not stand in for what is configured: %j",
  async (toml) => {
    using home = tempDir(toml);
    const { code, err } = await gantry(["agent", "-m", "hello"], { dir: home.dir });
    expect([code, err]).toEqual([2, expect.stringContaining("No provider configured")]);
  },
);

test("FLR-23: at the terminal the demo answers while nothing is configured", async () => {
  using home = tempDir();
  const { code, out } = await gantry(["agent", "-m", "hello"], { dir: home.dir });
  expect([code, out]).toEqual([0, expect.stringContaining("built-in demo")]);
});
