import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { definePlugin, Net, Upstream } from "../index.ts";
import net from "../../plugins/net-undici/index.ts";
import chat from "../../plugins/provider-chat-completions/index.ts";
import { bundledPlugin, fakeClock, fakeNet, recordTraffic, replayTraffic, startTestHost } from "./index.ts";

const { signal } = new AbortController();

test("SDK-02: a bundled plugin that a test misspells is told with the nearest name", async () => {
  await expect(bundledPlugin("guard-autonmy")).rejects.toThrow(/\(did you mean `guard-autonomy`\?\)/);
});

test("SDK-05: the clock for tests stands still until it is moved, and what falls due runs in order", async () => {
  using clock = fakeClock(1_000);
  const seen: string[] = [];
  setTimeout(() => seen.push(`late ${Date.now()}`), 5_000);
  setTimeout(() => seen.push(`soon ${Date.now()}`), 10);
  await clock.advance(20);
  expect([clock.now(), seen]).toEqual([1_020, ["soon 1020"]]);
  await clock.advance(5_000);
  expect(seen).toEqual(["soon 1020", "late 6020"]);
});

test("SDK-05: time is real again once the clock is disposed", () => {
  {
    using _ = fakeClock(1_000);
  }
  expect(Date.now()).toBeGreaterThan(1_700_000_000_000);
});

test("SDK-05: the network for tests answers its addresses in turn, keeps what was asked, and refuses all others", async () => {
  const network = fakeNet([
    { url: "https://a.test/x", replies: [{ json: { n: 1 } }, { status: 500, body: "no" }] },
    { url: /slow/, replies: [{ fails: "timeout" }] },
    { url: "https://a.test/never", replies: [{ after: new Promise(() => {}) }] },
  ]);
  await using t = await startTestHost({ plugins: [network] });
  const { fetch } = t.slot(Upstream);
  expect(await (await fetch({ url: "https://a.test/x", signal })).text()).toBe('{"n":1}');
  expect((await fetch({ url: "https://a.test/x", signal })).status).toBe(500);
  expect((await fetch({ url: "https://a.test/x", signal })).status).toBe(500);
  await expect(fetch({ url: "https://b.test/x?key=canary", signal })).rejects.toMatchObject({
    code: "NET_REFUSED",
    message: expect.not.stringContaining("canary") as string,
  });
  await expect(fetch({ url: "https://a.test/slow", signal })).rejects.toMatchObject({ code: "NET_TIMEOUT" });
  const stop = new AbortController();
  const waiting = fetch({ url: "https://a.test/never", signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: "NET_CANCELLED" });
  expect(await t.slot(Net).check("https://a.test/x")).toBeUndefined();
  expect(await t.slot(Net).check("https://elsewhere.test/")).toMatchObject({
    verdict: "refuse",
    code: "NET_BLOCKED",
  });
  expect(network.requests.map(({ url }) => url)).toHaveLength(6);
});

test("SDK-05: a provider's traffic is kept in a file without secrets, and answers again from there without a server", async () => {
  const home = await mkdtemp(path.join(tmpdir(), "gantry-traffic-"));
  const file = path.join(home, "kept/traffic.json");
  const events = [
    '{"choices":[{"delta":{"content":"Good "}}]}',
    '{"choices":[{"delta":{"content":"day."},"finish_reason":"stop"}]}',
    "[DONE]",
  ];
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "set-cookie": "session=cookie-canary" });
    response.end(events.map((event) => `data: ${event}\n\n`).join(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const config = {
    default_provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?key=query-canary`,
    default_model: "m",
    api_key: "sk-bearer-canary",
  };
  const ask = async (network: Parameters<typeof startTestHost>[0]["plugins"][number]): Promise<string> => {
    await using t = await startTestHost({ plugins: [network, chat], config });
    return (await t.ask("my word is plain-canary")).reply;
  };
  expect(await ask(recordTraffic(net, file, ["plain-canary"]))).toBe("Good day.");
  await new Promise((resolve) => void server.close(resolve));
  const kept = await readFile(file, "utf8");
  expect(kept).toContain("chat/completions");
  expect(kept).not.toContain("canary");
  const replayed = replayTraffic(file, ["plain-canary"]);
  expect(await ask(definePlugin(replayed))).toBe("Good day.");
  await using t = await startTestHost({ plugins: [replayTraffic(file)] });
  await expect(t.slot(Upstream).fetch({ url: "http://127.0.0.1/other", signal })).rejects.toMatchObject({
    code: "NET_REFUSED",
  });
  await rm(home, { recursive: true });
});
