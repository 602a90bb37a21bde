import { availableParallelism } from "node:os";
import {
  type KitOptions,
  type SandboxKit,
  linux,
  startSandbox,
} from "../../plugins/sandbox-landlock/sandbox.test-kit.ts";
import { median } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const PAIRS = 200;
const FEW_PAIRS = 15;
const AT_ONCE = 16;
const COMMANDS = 2_000;
const MIB = 1024 * 1024;

const open: KitOptions = { walls: false };
const signal = new AbortController().signal;

/** One `sh -c true`. */
async function once(kit: SandboxKit): Promise<void> {
  const bounds = { timeoutMs: 60_000, maxOutputBytes: 1_000 };
  const argv = ["/bin/sh", "-c", "true"];
  await kit.confinement.request<"run">({ do: "run", argv, cwd: kit.workspace, env: {}, ...bounds }, signal);
}

const atOnce = (kit: SandboxKit): Promise<unknown> =>
  Promise.all(Array.from({ length: AT_ONCE }, () => once(kit)));

async function first(options: KitOptions): Promise<void> {
  await using kit = await startSandbox(options);
  await once(kit);
}

async function milliseconds(what: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await what();
  return performance.now() - start;
}

/**
 * Both in turns, and which comes first in turns too, after a few pairs that do not count. Each goes
 * once more untimed before, so that no process has to be started for it.
 */
async function inTurns(
  a: () => Promise<unknown>,
  b: () => Promise<unknown>,
  pairs: number,
  warm = true,
): Promise<{ readonly ms: number; readonly ratio: number }> {
  const [as, bs]: [number[], number[]] = [[], []];
  for (let pair = -Math.ceil(pairs / 15); pair < pairs; pair++) {
    const order =
      pair % 2 === 0
        ? ([
            [a, as],
            [b, bs],
          ] as const)
        : ([
            [b, bs],
            [a, as],
          ] as const);
    for (const [what, taken] of order) {
      if (warm) await what();
      const ms = await milliseconds(what);
      if (pair >= 0) taken.push(ms);
    }
  }
  return { ms: median(as), ratio: median(as) / median(bs) };
}

/** Walls against none, the same program from the same kind of process. */
async function benchRuns(): Promise<readonly Row[]> {
  await using walled = await startSandbox();
  await using asked = await startSandbox({ cgroups: false });
  // All commands together have one core by default: the cost of that for sixteen at once says
  // nothing of the walls.
  await using wide = await startSandbox({ bounds: { max_cpu_percent: 100 * availableParallelism() } });
  await using unwalled = await startSandbox(open);
  const row = async (
    name: string,
    pairs: number,
    what: (kit: SandboxKit) => Promise<unknown>,
    kit: SandboxKit,
  ) => {
    const { ms, ratio } = await inTurns(
      () => what(kit),
      () => what(unwalled),
      pairs,
    );
    return atMost(`${name} (${ms.toFixed(2)} ms) against one without walls, medians`, ratio, 1.15, "x");
  };
  return [
    await row("a walled sh -c true", PAIRS, once, walled),
    await row("the same where no control groups can be had", PAIRS, once, asked),
    await row(`${AT_ONCE} at once, with all cores,`, FEW_PAIRS, atOnce, wide),
  ];
}

async function benchFirst(): Promise<Row> {
  const { ms, ratio } = await inTurns(
    () => first({}),
    () => first(open),
    FEW_PAIRS,
    false,
  );
  return atMost(
    `the first of a new sandbox (${ms.toFixed(0)} ms) against one without walls`,
    ratio,
    1.5,
    "x",
  );
}

async function benchMemory(): Promise<Row> {
  await using kit = await startSandbox();
  for (let n = 0; n < COMMANDS / 4; n++) await once(kit);
  const before = process.memoryUsage().rss;
  for (let n = 0; n < COMMANDS; n++) await once(kit);
  const gained = Math.max(0, process.memoryUsage().rss - before) / MIB;
  return atMost(`memory gained over ${COMMANDS} commands`, gained, 16, " MiB");
}

export async function sandboxRows(): Promise<readonly Row[]> {
  return linux ? [...(await benchRuns()), await benchFirst(), await benchMemory()] : [];
}
