import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entryBeside } from "./entry.ts";

/** Thrown where the walls cannot be built, with the reason. */
export class NoWalls extends Error {}

export const CHANNEL = 3;
const UNSHARE = ["/usr/bin/unshare", "/bin/unshare"];
/** User, process and mount namespaces; the first process in there takes all others with it, and goes with `unshare`. */
const NAMESPACES = ["--user", "--keep-caps", "--pid", "--fork", "--kill-child", "--mount"];
/** No debugger, no more threads and memory than it needs. */
const NODE = ["--disable-sigusr1", "--v8-pool-size=1", "--max-semi-space-size=1", "--no-warnings"];
/** A namespace in which every user and group is who they are outside; only root may make one. */
const EVERYBODY = "0 0 4294967295\n";

/** Starts the program of a confined process. Throws NoWalls where there is no `unshare`. */
export function launch(base: string, namespaces: boolean): ChildProcess {
  const { url, nodeArgs } = entryBeside(base, "confined-worker");
  const node = [process.execPath, ...NODE, ...nodeArgs, fileURLToPath(url)];
  const user = isRoot() ? [] : ["--map-current-user"];
  const argv = namespaces ? [unshare(), ...NAMESPACES, ...user, "--", ...node] : node;
  return spawn(argv[0]!, argv.slice(1), {
    cwd: "/",
    env: {},
    // A terminal's signals are for the service alone.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
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
