import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { sandboxPlugin } from "../sandbox-landlock/plugin.ts";
import { webPlugin } from "./plugin.ts";
import { otherReader, running, runsWalled } from "./taken-over.test-kit.ts";
import { type Web, pages, startWeb } from "./web.test-kit.ts";

const linux = process.platform === "linux";
const own = new URL("./index.ts", import.meta.url).href;
const sandbox = sandboxPlugin(new URL("../sandbox-landlock/index.ts", import.meta.url).href);

function startService(
  web: Web,
  base: string,
  landlock_enabled?: boolean,
  bounds = { cpuSeconds: 30, memoryMb: 256 },
): Promise<TestHost> {
  const security = { sandboxing: landlock_enabled === undefined ? {} : { landlock_enabled } };
  return startTestHost({
    plugins: [web.net, sandbox, webPlugin(base, bounds)],
    config: { security, tools: { browser_timeout_seconds: 60 } },
  });
}

/** A reader that a page has taken over, and what became of each thing that it tries. */
const tries = `
  const opened = code(() => void fs.readFileSync("/etc/passwd"));
  const listed = code(() => void fs.readdirSync("/"));
  const written = code(() => fs.writeFileSync("/tmp/gantry-taken-over", ""));
  const told = code(() => void process.kill(process.ppid, 0));
  const started = code(() => spawnSync("/bin/true").error?.code);
  // net.connect() would come to it only later.
  const { TCP, TCPConnectWrap, constants } = process.binding("tcp_wrap");
  const port = Number(new URL(facts.url).port);
  const to = () => new TCP(constants.SOCKET).connect(new TCPConnectWrap(), "127.0.0.1", port);
  const connected = to() === -1 ? "EPERM" : "done";
  return page([opened, listed, written, told, started, connected].join(" "));
`;

test.runIf(linux)(
  "FLR-02: a page that takes its reader over reaches no file, network or process",
  async () => {
    using reader = otherReader(tries);
    await using web = await startWeb(pages({ "/": "<p>hello" }));
    await using t = await startService(web, reader.base);
    const { text } = await t.call("web_fetch", { url: web.url });
    expect(text.split("\n").at(-1)).toBe("EPERM EPERM EPERM EPERM EPERM EPERM");
  },
);

test.runIf(linux)("FLR-02: with landlock_enabled = false a page is read without walls", async () => {
  using reader = otherReader(tries);
  await using web = await startWeb(pages({ "/": "<p>hello" }));
  await using t = await startService(web, reader.base, false);
  const { text } = await t.call("web_fetch", { url: web.url });
  expect(text.split("\n").at(-1)).toBe("done done done done done done");
});

test.runIf(linux)("FLR-02: the kernel filters every thread of what reads a page", async () => {
  const html = "<i></b>last".repeat(200_000);
  await using web = await startWeb(pages({ "/": html }));
  await using t = await startService(web, own);
  const reading = t.call("web_fetch", { url: web.url });
  await expect.poll(() => runsWalled("page-worker"), { timeout: 30_000, interval: 20 }).toBe(true);
  expect((await reading).text).toContain("last");
});

test.runIf(linux)(
  "FLR-02: of a page that eats the memory of a walled reader the words are given",
  async () => {
    const items = "<li>item".repeat(400_000);
    await using web = await startWeb(pages({ "/": `${items} the last` }));
    await using t = await startService(web, own, undefined, { cpuSeconds: 60, memoryMb: 96 });
    expect((await t.call("web_fetch", { url: web.url })).text).toContain("[WEB_UNREADABLE: ");
  },
);

test("FLR-02: a packed body reaches its reader as it came", async () => {
  using reader = otherReader('return page(facts.encoding + " " + bytes.toString("hex"));');
  const packed = gzipSync("plain");
  await using web = await startWeb((_, response) => {
    const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
    response.writeHead(200, headers).end(packed);
  });
  await using t = await startService(web, reader.base);
  const { text } = await t.call("web_fetch", { url: web.url });
  expect(text.split("\n").at(-1)).toBe(`gzip ${packed.toString("hex")}`);
});

test("FLR-02: an answer of a reader in another shape is refused", async () => {
  using reader = otherReader('return { facts: { ...page("").facts, links: [{}] } };');
  await using web = await startWeb(pages({ "/": "<p>hello" }));
  await using t = await startService(web, reader.base);
  expect(await t.call("web_fetch", { url: web.url })).toMatchObject({ code: "WEB_UNREADABLE" });
});

test.each([
  ["with a key that nobody knows", 'return { facts: { ...page("").facts, more: [] } };'],
  [
    "of more facts than are parsed",
    'return { facts: { ...page("").facts, links: Array(2e6).fill("links") } };',
  ],
  ["that is no JSON", 'fs.writeSync(1, "["); process.exit(0);'],
  ["that never came, as the reader ended", "process.exit(1);"],
  ["that never comes, as the reader waits", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"],
])("FLR-02: an answer of a reader %s is refused", async (_what, work) => {
  using reader = otherReader(work);
  await using web = await startWeb(pages({ "/": "<p>hello" }));
  await using t = await startService(web, reader.base, undefined, { cpuSeconds: 1, memoryMb: 256 });
  expect(await t.call("web_fetch", { url: web.url })).toMatchObject({ code: "WEB_UNREADABLE" });
});

test("FLR-02: who waits for a reader that another page holds may give up", async () => {
  using reader = otherReader("for (;;);");
  await using web = await startWeb(pages({ "/": "<p>hello" }));
  await using t = await startService(web, reader.base);
  const held = t.call("web_fetch", { url: web.url }).catch(String);
  await expect.poll(() => running(reader.folder).length, { timeout: 10_000 }).toBeGreaterThan(0);
  const given = new AbortController();
  const waiting = t.call("web_fetch", { url: web.url }, { signal: given.signal });
  given.abort();
  await waiting.catch(String);
  expect(running(reader.folder).length).toBeGreaterThan(0);
  await t.stop();
  await held;
});

test.runIf(linux)("FLR-02: a reader keeps no descriptor that the service was started with", () => {
  const module = new URL("../sandbox-landlock/confining-worker.ts", import.meta.url).href;
  const script = `
    const { fstatSync, writeSync } = await import("node:fs");
    const open = () => { try { fstatSync(40); return "open"; } catch { return "closed"; } };
    const before = open();
    const { confine } = await import(${JSON.stringify(module)});
    const end = confine();
    let after = "closed";
    try { writeSync(40, ""); after = "open"; } catch (error) { after = error.code; }
    writeSync(1, before + " " + after);
    end(0);`;
  const args = ["--conditions=gantry-source", "--input-type=module", "-e", script];
  const shell = 'exec 40>/dev/null; exec "$@"';
  const words = ["-c", shell, "bash", process.execPath, ...args];
  expect(execFileSync("bash", words, { encoding: "utf8" })).toBe("open EBADF");
});

test("FLR-02: an answer of a reader without an end is cut off", async () => {
  using reader = otherReader('for (;;) fs.writeSync(1, "x".repeat(65_536));');
  await using web = await startWeb(pages({ "/": "<p>hello" }));
  await using t = await startService(web, reader.base);
  expect(await t.call("web_fetch", { url: web.url })).toMatchObject({ code: "WEB_UNREADABLE" });
});

test("FLR-02: no reader is left once its host has stopped", async () => {
  using reader = otherReader("for (;;);");
  await using web = await startWeb(pages({ "/": "<p>hello" }));
  const t = await startService(web, reader.base);
  const held = t.call("web_fetch", { url: web.url }).catch(String);
  await expect.poll(() => running(reader.folder).length, { timeout: 10_000 }).toBeGreaterThan(0);
  await t.stop();
  await expect.poll(() => running(reader.folder), { timeout: 10_000 }).toEqual([]);
  await held;
});
