import { type SandboxKit, linux, startSandbox } from "../../plugins/sandbox-landlock/sandbox.test-kit.ts";
import { atMost, type Row } from "./row.ts";

const PAIRS = 300;
const COMMANDS = 2_000;
const MIB = 1024 * 1024;

async function milliseconds(kit: SandboxKit): Promise<number> {
  const request = {
    do: "run",
    argv: ["/bin/sh", "-c", "true"],
    cwd: kit.workspace,
    env: {},
    timeoutMs: 10_000,
    maxOutputBytes: 1_000,
  } as const;
  const start = performance.now();
  await kit.confinement.request<"run">(request, new AbortController().signal);
  return performance.now() - start;
}

function median(taken: readonly number[]): number {
  return taken.toSorted((a, b) => a - b)[taken.length >> 1]!;
}

/** The same spawn from two threads of one process, one with walls, limits and referee, one without, turn by turn. */
async function benchSpawn(): Promise<Row> {
  await using walled = await startSandbox();
  await using open = await startSandbox({ walls: false });
  const [inside, outside]: [number[], number[]] = [[], []];
  for (let pair = -20; pair < PAIRS; pair++) {
    const times = [await milliseconds(walled), await milliseconds(open)] as const;
    if (pair < 0) continue;
    inside.push(times[0]);
    outside.push(times[1]);
  }
  return atMost(
    `a walled sh -c true (${median(inside).toFixed(2)} ms) against one without walls, medians`,
    median(inside) / median(outside),
    1.15,
    "x",
  );
}

async function benchMemory(): Promise<Row> {
  await using kit = await startSandbox();
  for (let n = 0; n < COMMANDS / 4; n++) await milliseconds(kit);
  const before = process.memoryUsage().rss;
  for (let n = 0; n < COMMANDS; n++) await milliseconds(kit);
  return atMost(
    `memory gained over ${COMMANDS} commands`,
    Math.max(0, process.memoryUsage().rss - before) / MIB,
    16,
    " MiB",
  );
}

export async function sandboxRows(): Promise<readonly Row[]> {
  return linux ? [await benchSpawn(), await benchMemory()] : [];
}
