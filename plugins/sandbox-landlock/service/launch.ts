import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { entryBeside, nodeCommand } from "@gantry/sdk/node";
import { CHANNEL, type Only } from "../messages.ts";

/** Thrown if the walls cannot be built, with the reason. */
export class NoWalls extends Error {}

/** A shell closes descriptors of one digit only. */
const MAX_KEPT = 10 - CHANNEL;
export const MAX_PIPES = MAX_KEPT - 1;
const UNSHARE = ["/usr/bin/unshare", "/bin/unshare"];
/**
 * User, process and mount namespaces; the first process in there takes all others with it, and goes
 * with `unshare`.
 */
const NAMESPACES = ["--user", "--keep-caps", "--pid", "--fork", "--kill-child", "--mount"];
/** No debugger, no more threads and memory than it needs. */
const NODE = ["--disable-sigusr1", "--v8-pool-size=1", "--max-semi-space-size=1", "--no-warnings"];
/**
 * Limits of a process that searches: its heap in MiB, and its processor time in seconds, which the
 * kernel counts even when the service has gone.
 */
const SEARCH_HEAP = "--max-old-space-size=256";
const SEARCH_TIME = ["/bin/sh", "-c", 'ulimit -c 0; ulimit -t 60; exec "$@"', "sh"];
/** A namespace in which every user and group is who they are outside; only root may make one. */
const EVERYBODY = "0 0 4294967295\n";

/**
 * The party that ends what a confined process started once the service has gone, however it went:
 * the kernel with its namespace, or with an island, which has besides a network of its own with
 * nothing in it; or the process itself.
 */
export type Holder = "island" | "namespace" | "itself";
export const hasNamespaces = (holder: Holder): boolean => holder === "island" || holder === "namespace";

export interface LaunchOptions {
  /** The address of the file beside which its entry stands. */
  readonly base: string;
  /** The number of pipes that it has for its run. */
  readonly pipes?: number;
  /** Most milliseconds that it may take to start. */
  readonly startMs?: number;
  /** Most milliseconds from a run's end to its answer. */
  readonly lateMs?: number | undefined;
  /** Undefined: runs, and opening files. */
  readonly only?: Only | undefined;
}

/** Starts the program of a confined process. Throws NoWalls if there is no `unshare`. */
export function launch(holder: Holder, { base, pipes = 0, only }: LaunchOptions): ChildProcess {
  const { url, nodeArgs } = entryBeside(base, "confined-worker");
  const searches = only === "search";
  const flags = [...NODE, ...(searches ? [SEARCH_HEAP] : []), ...nodeArgs];
  const bound = searches ? SEARCH_TIME : [];
  const argv = [...wrapping(holder), ...bound, ...nodeCommand(flags, fileURLToPath(url))];
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd: "/",
    env: {},
    // A terminal's signals are for the service alone.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", ...Array.from({ length: pipes }, () => "pipe" as const)],
  });
  // A process that is killed may reset its pipes; its end is told by itself, and no pipe may end
  // the service.
  for (const stream of child.stdio) stream?.on("error", () => {});
  return child;
}

/** Returns a function for the beginning of its error output, the reason if it does not start. */
export function firstWordsOf(child: ChildProcess): () => string {
  let said = "";
  child.stderr?.on("data", (piece: Buffer) => {
    if (said.length < 4_096) said += piece.toString();
  });
  (child.stderr as Socket | null)?.unref();
  return () => said;
}

function wrapping(holder: Holder): readonly string[] {
  if (holder === "itself") return [];
  return [
    unshare(),
    ...NAMESPACES,
    ...(holder === "island" ? ["--net"] : []),
    ...(isRoot() ? [] : ["--map-current-user"]),
    "--",
  ];
}

export const isRoot = (): boolean => process.getuid?.() === 0;

function unshare(): string {
  const found = UNSHARE.find((file) => existsSync(file));
  if (found === undefined) throw new NoWalls("the program unshare of util-linux is not there");
  return found;
}

export function mapEverybody(pid: number): void {
  for (const map of ["gid_map", "uid_map"]) writeFileSync(`/proc/${pid}/${map}`, EVERYBODY);
}

/** Returns the children of a process that it has not waited for yet. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Returns the children of all threads of a process that it has not waited for yet. */
export function startedBy(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((one) => readFileSync(`/proc/${pid}/task/${one}/children`, "utf8"));
    return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
  } catch {
    return [];
  }
}

/** Kills each of them, and its group if it has one. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids.flatMap((one) => [one, -one])) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended, or has no group of its own.
    }
  }
}
