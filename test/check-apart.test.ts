import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkApart } from "@gantry/sdk/testing";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "gantry-apart-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** A plugin written without the sdk, since from source one outside has none to import. */
function plugin(setup: string, head: string = ""): string {
  return `${head}\nexport default { name: "broken", sdk: 3, summary: "Broken on purpose.", setup(host) { ${setup} } };`;
}

async function checked(
  name: string,
  code: string,
  options: { readonly patienceMs?: number; readonly signal?: AbortSignal } = {},
) {
  const entry = path.join(dir, `${name}.mjs`);
  await writeFile(entry, code);
  return checkApart({ entry, configDir: dir, ...options });
}

const endings: readonly (readonly [what: string, code: string, sentence: RegExp, patienceMs?: number])[] = [
  [
    "loops where it is imported",
    "for (;;);",
    /loops.*\.mjs did not come back in 1\.2 s \(while it was loaded\): /,
    200,
  ],
  [
    "waits at its top level without an end",
    "await new Promise(() => {});",
    /did not come back in 1\.2 s \(while it was loaded\): /,
    200,
  ],
  [
    "loops in setup",
    plugin("for (;;);"),
    /^The plugin broken did not come back in 6 s \(in "a plugin starts quickly .*"\): /,
    1_000,
  ],
  [
    "ends the process where it is imported",
    "process.exit(0);",
    /ended its process \(exit code 0, while it was loaded\): /,
  ],
  [
    "ends the process later",
    plugin("setTimeout(() => process.exit(0), 1);"),
    /^The plugin broken ended its process \(exit code 0, in "/,
  ],
  [
    "kills the process",
    plugin('process.kill(process.pid, "SIGKILL");'),
    /^The plugin broken ended its process \(SIGKILL, in "/,
  ],
  [
    "has no mercy on listeners",
    plugin('process.removeAllListeners(); setTimeout(() => { throw new Error("unheard"); }, 1);'),
    /^The plugin broken ended its process /,
  ],
  [
    "is a trap itself",
    'export default new Proxy({}, { get() { throw new Error("mine"); } });',
    /^The plugin .*could not be loaded: mine$/,
  ],
  ["is no code", "export default {{{", /^The plugin .*could not be loaded: [^\n]*$/],
];

test.for(endings)(
  "SDK-05: a plugin that %s is told of in one sentence",
  { timeout: 300_000 },
  async ([what, code, sentence, patienceMs]) => {
    await expect(
      checked(what.replaceAll(" ", "-"), code, { patienceMs: patienceMs ?? 5_000 }),
    ).rejects.toThrow(sentence);
  },
);

test("SDK-05: a thread that a plugin left running is found", { timeout: 300_000 }, async () => {
  const head = 'import { Worker } from "node:worker_threads";';
  const { findings } = await checked(
    "thread",
    plugin('host.onReady(() => void new Worker("setInterval(() => {}, 1e3)", { eval: true }));', head),
  );
  expect(findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^The plugin broken left 2 Worker.* running after it was disposed: stop them in onDispose/,
    ),
  ]);
});

test("SDK-05: what a plugin started ends with the check", { timeout: 300_000 }, async () => {
  const head = 'import { spawn } from "node:child_process"; import { appendFileSync } from "node:fs";';
  const pids = path.join(dir, "pids");
  const setup = `host.onReady(() => appendFileSync(${JSON.stringify(pids)}, spawn("sleep", ["600"]).pid + "\\n"));`;
  await checked("starter", plugin(setup, head));
  const started = (await readFile(pids, "utf8")).trim().split("\n");
  expect(started.length).toBeGreaterThan(1);
  for (const pid of started) await expect.poll(() => lives(pid)).toBe(false);
});

/** A process that nobody has waited for yet lives no more. */
async function lives(pid: string): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return !/\) [ZX]/.test(text);
}

test("SDK-05: a check that is given up ends at once", { timeout: 300_000 }, async () => {
  const given = new AbortController();
  const check = checked("slow", "await new Promise(() => {});", { signal: given.signal });
  given.abort(new Error("enough"));
  await expect(check).rejects.toThrow("enough");
});

test(
  "SDK-05: a plugin that is right is found right, and its facts are told",
  { timeout: 300_000 },
  async () => {
    expect(await checked("right", plugin('process.send("noise"); process.send(null);'))).toEqual({
      facts: { name: "broken", sdk: 3, needs: [], provides: [], taps: [], enforces: [], tools: [] },
      findings: [],
      tried: 3,
      untried: [],
    });
  },
);
