import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const cli: string = fileURLToPath(new URL("../../host/dist/cli.js", import.meta.url));

export interface Timed {
  /** Median wall time, in seconds. */
  readonly a: number;
  readonly b: number;
  /** Median of the ratios a/b, pair by pair. */
  readonly ratio: number;
}

/** Two commands of this Node in turn, A B A B …, after two pairs that do not count. */
export async function inPairs(
  a: readonly string[],
  b: readonly string[],
  env: NodeJS.ProcessEnv,
  runs: number = 15,
): Promise<Timed> {
  const times: [number, number][] = [];
  for (let i = -2; i < runs; i += 1) {
    const pair: [number, number] = [await wall(a, env), await wall(b, env)];
    if (i >= 0) times.push(pair);
  }
  return {
    a: median(times.map(([time]) => time)),
    b: median(times.map(([, time]) => time)),
    ratio: median(times.map(([x, y]) => x / y)),
  };
}

export async function wall(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, ...env } });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${args.map((arg) => path.basename(arg)).join(" ")} ended with ${code}`);
  return (performance.now() - started) / 1_000;
}

/** The most memory that a command held, in MiB. */
export async function peak(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const report = new URL("report-peak.mjs", import.meta.url).href;
  const child = spawn(process.execPath, ["--import", report, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  let text = "";
  child.stderr.on("data", (piece) => (text += piece));
  await once(child, "close");
  return Number(/peak (\d+)/.exec(text)?.[1]) / 1_024;
}

export function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Milliseconds of processor time that a process has used, in steps of 10. */
export function processorTime(pid: number): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .split(") ")[1]!
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) * 10;
}

/** MiB; `VmRSS` now, `VmHWM` at its highest. */
export function memory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) / 1_024;
}
