import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, tempDir } from "../../test/helpers/cli.ts";

const source = new URL("compile-later.ts", import.meta.url).href;

/** A process that runs one function often, before or after the time that short words take. */
const script = (isLong: boolean): string => `
  const later = [];
  globalThis.setTimeout = (work) => (later.push(work), { unref() {} });
  const { compileLater } = await import(${JSON.stringify(source)});
  compileLater();
  if (${isLong}) for (const work of later) work();
  function often(n) { let sum = 0; for (let i = 0; i < n; i++) sum = (sum * 31 + i) % 1000003; return sum; }
  for (let i = 0; i < 300; i++) { often(10_000); await new Promise(setImmediate); }`;

/** The kinds of code that V8 made of functions in a process. */
function compiled(isLong: boolean, flags: readonly string[] = []): ReadonlySet<string> {
  using home = tempDir("");
  const log = path.join(home.dir, "v8.log");
  const logged = ["--log-function-events", "--no-logfile-per-isolate", `--logfile=${log}`, ...flags];
  const { status, stderr } = spawnSync(
    process.execPath,
    [...logged, "--input-type=module", "-e", script(isLong)],
    { encoding: "utf8", env: { PATH: process.env["PATH"] } },
  );
  expect([status, stderr]).toEqual([0, ""]);
  const often = readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.endsWith(",often"));
  return new Set(often.map((line) => line.split(",")[1] ?? ""));
}

test("PRF-01: a function of a short word is not compiled for speed", () => {
  const kinds = compiled(false);
  expect(kinds).toContain("first-execution");
  expect([...kinds].filter((kind) => /maglev|turbofan|baseline/i.test(kind))).toEqual([]);
});

test("PRF-01: a function of a word that runs long is compiled for speed", () => {
  expect([...compiled(true)].some((kind) => /maglev|turbofan/i.test(kind))).toBe(true);
});

test("PRF-01: a process whose owner chose its compilers keeps the choice", () => {
  expect([...compiled(false, ["--no-maglev"])].some((kind) => /turbofan/i.test(kind))).toBe(true);
});

test("PRF-01: a turn takes the clock as compiled into Node, and no lists of addresses", async () => {
  using home = tempDir("");
  const env = { NODE_DEBUG_NATIVE: "CODE_CACHE" };
  const { out, err } = await gantry(["agent", "-m", "hi"], { dir: home.dir, env });
  const parts = (out + err).matchAll(/Code cache of (\S+) \(\w+\) is (\w+)/g);
  const taken = new Map([...parts].map(([, part, how]) => [part, how]));
  expect(taken.get("perf_hooks")).toBe("accepted");
  expect(taken.has("internal/blocklist")).toBe(false);
});
