import { writeFileSync } from "node:fs";
import path from "node:path";
import type { FileSearch } from "@gantry/sdk/fill";
import { Sandbox } from "@gantry/sdk";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { startOpenHost, ways } from "./open.test-kit.ts";
import sandbox from "./index.ts";
import { linux } from "./sandbox.test-kit.ts";

const unwalled = { security: { sandboxing: { landlock_enabled: false } } };
const hosts: readonly (readonly [how: string, start: () => Promise<TestHost>])[] = [
  ...(linux ? ways.map(([how, namespaces]) => [how, () => startOpenHost(namespaces)] as const) : []),
  [", without walls", () => startTestHost({ plugins: [sandbox], config: unwalled })],
];

/** Returns a search of a file that keeps whoever looks for its place there busy for minutes. */
function endless(t: TestHost): FileSearch {
  const file = path.join(t.runtime.workspace, "hostile.txt");
  writeFileSync(file, "a".repeat(8_000_000));
  return { files: [file], pattern: "(((a{9}){9}){9})".repeat(250), limit: 9, maxFileBytes: 9_000_000 };
}

function needle(t: TestHost): FileSearch {
  const file = path.join(t.runtime.workspace, "file");
  writeFileSync(file, "a needle\n");
  return { files: [file], pattern: "needle", limit: 9, maxFileBytes: 100 };
}

test.each(hosts)(
  "SBX-11: while a search takes for ever files are opened, it ends with its signal, and the next one is done%s",
  async (_, start) => {
    await using t = await start();
    const { files } = t.slot(Sandbox);
    const { signal } = new AbortController();
    const small = needle(t);
    await files.search(small, signal);
    const stop = new AbortController();
    let isOver = false;
    const searching = files.search(endless(t), stop.signal).finally(() => void (isOver = true));
    const next = files.search(small, signal);
    for (let i = 0; i < 20; i++) await files.read(small.files[0]!, 9, signal);
    expect(isOver).toBe(false);
    stop.abort(new Error("enough"));
    await expect(searching).rejects.toThrow("enough");
    expect(await next).toMatchObject({ searched: 1, found: [{ lines: [{ text: "a needle" }] }] });
  },
);

test.each(hosts)("SBX-11: the service stops at once while a search takes for ever%s", async (_, start) => {
  const t = await start();
  const { files } = t.slot(Sandbox);
  const { signal } = new AbortController();
  const small = needle(t);
  await files.search(small, signal);
  const searching = files.search(endless(t), signal);
  const ended = searching.catch((error: unknown) => error);
  await files.read(small.files[0]!, 9, signal);
  await t.stop();
  expect(await ended).toMatchObject({ code: "SANDBOX_FAILED" });
});

test.runIf(linux).each(ways)(
  "SEC-05: a search shows nothing of secret files, also of one that turns up after it began%s",
  async (_, namespaces) => {
    await using t = await startOpenHost(namespaces);
    const { files, run } = t.slot(Sandbox);
    const { signal } = new AbortController();
    const at = (name: string): string => path.join(t.runtime.workspace, name);
    writeFileSync(at(".env"), "needle\n");
    const small = needle(t);
    const wanted = { ...small, files: [at(".env"), at("late.pem"), ...small.files] };
    expect((await files.search(wanted, signal))?.found.map((one) => one.path)).toEqual(small.files);
    const limits = { timeoutMs: 45_000, maxOutputBytes: 100, cwd: t.runtime.workspace, signal };
    await run({ argv: ["/bin/cp", "file", "late.pem"], ...limits });
    expect((await files.search(wanted, signal))?.found.map((one) => one.path)).toEqual(small.files);
  },
);
