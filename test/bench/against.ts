import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const root = path.join(import.meta.dirname, "../..");
const rounds = 3;
const line = /^(?:met {4}|MISSED {1})\s*(\S+)\s+(.*): ([\d.]+)\D*? \((?:<=|>=) [^)]*\)$/gm;

/**
 * Figures of one checkout by row; numbers in a row's own words change from run to run and are left
 * out of its name.
 */
type Figures = Map<string, number[]>;

/**
 * Runs the parts of the bench in this checkout and in a checkout of `ref`, in turns, and prints how
 * each figure of this one stands to that one's: medians of three, so that a machine's bad minute
 * falls on both.
 */
export async function compare(ref: string, parts: readonly string[]): Promise<void> {
  const other = checkout(ref);
  const here: Figures = new Map();
  const there: Figures = new Map();

  for (let round = 0; round < rounds; round += 1) {
    await run(other, parts, there);
    await run(root, parts, here);
  }

  for (const [what, figures] of here) {
    const before = there.get(what);
    const [now, then] = [median(figures), before && median(before)];
    const ratio = then ? `${(now / then).toFixed(2)}x of ${then}` : `not in ${ref}`;
    process.stdout.write(`${what}: ${now} (${ratio})\n`);
  }
}

/**
 * A checkout of its own, with its own packages and build, kept for the next comparison; not below
 * node_modules, where Node strips no types.
 */
function checkout(ref: string): string {
  const commit = git("rev-parse", "--verify", `${ref}^{commit}`);
  const folder = path.join(tmpdir(), `gantry-bench-${commit.slice(0, 12)}`);
  if (!existsSync(folder)) {
    git("worktree", "prune");
    git("worktree", "add", "--detach", folder, commit);
  }
  execFileSync(process.execPath, [path.join(folder, ".ci/prepare.mjs")], { stdio: "inherit" });
  return folder;
}

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

async function run(folder: string, parts: readonly string[], figures: Figures): Promise<void> {
  const program = path.join(folder, "test/bench/run.ts");
  // A row that is missed is a figure like any other here.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=gantry-source", program, ...parts],
    { cwd: folder, maxBuffer: 1 << 24 },
  ).catch((error: { stdout?: string; stderr?: string }) => {
    if (!error.stdout) throw new Error(`the bench of ${folder} failed: ${error.stderr ?? String(error)}`);
    return { stdout: error.stdout };
  });
  for (const [, part = "", what = "", figure] of stdout.matchAll(line)) {
    const name = `${part} ${what.replace(/\s*\([^)]*\d[^)]*\)/g, "")}`;
    figures.set(name, [...(figures.get(name) ?? []), Number(figure)]);
  }
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
