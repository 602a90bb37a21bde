import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import {
  type KitOptions,
  type SandboxKit,
  linux,
  startSandbox,
} from "../../plugins/sandbox-landlock/sandbox.test-kit.ts";
import { median } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const PAIRS = 30;
const FEW_PAIRS = 5;
const AT_ONCE = 16;
const FOLDERS = 20_000;
const FILES = 10_000;

/** A workspace of many folders, among them a repository of two thousand files. */
function large(workspace: string): void {
  for (let i = 0; i < FOLDERS; i++) mkdirSync(path.join(workspace, `f${i % 100}/d${i}`), { recursive: true });
  mkdirSync(path.join(workspace, "repository"));
  for (let i = 0; i < 2_000; i++) writeFileSync(path.join(workspace, "repository", `${i}.txt`), `${i}`);
  for (const words of ["init -q", "add ."])
    execFileSync("git", ["-C", path.join(workspace, "repository"), ...words.split(" ")]);
}

const git = "git -C repository";
const install = `python3 -c "
import os
for d in range(200):
    os.makedirs(f'node_modules/p{d}/lib')
    for i in range(${FILES / 200}): open(f'node_modules/p{d}/lib/{i}.js', 'w').write('x' * 200)
"`;

async function took(kit: SandboxKit, command: string): Promise<number> {
  const began = performance.now();
  const { exitCode, stderr } = await kit.run(command);
  if (exitCode !== 0) throw new Error(`${command}: ${stderr}`);
  return performance.now() - began;
}

/** Both ways in turns, with what is done before each that does not count. */
async function inTurns(
  kits: readonly SandboxKit[],
  pairs: number,
  one: (kit: SandboxKit) => Promise<number>,
): Promise<readonly number[]> {
  const times = kits.map((): number[] => []);
  for (let pair = -1; pair < pairs; pair++)
    for (const [i, kit] of kits.entries()) {
      const ms = await one(kit);
      if (pair >= 0) times[i]!.push(ms);
    }
  return times.map(median);
}

type Work = readonly (readonly [name: string, goal: number, one: (kit: SandboxKit) => Promise<number>])[];

async function rows(title: string, options: KitOptions, pairs: number, what: Work): Promise<readonly Row[]> {
  await using unwalled = await startSandbox({ ...options, walls: false });
  await using direct = await startSandbox({ ...options, runs: "direct" });
  await using view = await startSandbox({ ...options, runs: "view" });
  const all: Row[] = [];
  for (const [name, goal, one] of what) {
    const [open = 0, old = 0, now = 0] = await inTurns([unwalled, direct, view], pairs, one);
    const figures = `${open.toFixed(1)}, ${old.toFixed(1)}, ${now.toFixed(1)} ms`;
    const row = `${name}${title} (without walls, direct, view: ${figures}): view against none`;
    all.push(atMost(row, now / open, goal, "x"));
  }
  return all;
}

const small: Work = [
  ["true", 1.15, (kit) => took(kit, "true")],
  [
    `${AT_ONCE} at once`,
    1.1,
    async (kit) => {
      const began = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, () => took(kit, "true")));
      return performance.now() - began;
    },
  ],
  [
    `${FILES} new files`,
    1.3,
    async (kit) => {
      const ms = await took(kit, install);
      await took(kit, "rm -rf node_modules");
      return ms;
    },
  ],
];

const many: Work = [
  ["true", 1.3, (kit) => took(kit, "true")],
  ["git status of 2,000 files", 1.3, (kit) => took(kit, `${git} status --short | wc -l`)],
];

/** Commands in a view, in the workspace itself, and without walls. */
export async function runRows(): Promise<readonly Row[]> {
  if (!linux) return [];
  const bounds = { max_cpu_percent: 100 * availableParallelism(), max_workspace_mb: 4_096 };
  return [
    ...(await rows("", { bounds }, PAIRS, small.slice(0, 1))),
    ...(await rows("", { bounds }, FEW_PAIRS, small.slice(1))),
    ...(await rows(` with ${FOLDERS} folders`, { bounds, prepare: large }, FEW_PAIRS, many)),
  ];
}
