import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Bounds } from "../config.ts";
import type { GroupFacts } from "../supervisor/groups.ts";

const MIB = 1024 * 1024;
const PERIOD_US = 100_000;
/**
 * A group with less memory is none: of those in there the kernel ends the one that holds most,
 * which would be a confined process in place of its run.
 */
const LEAST_MB = 96;
const controllers = ["memory", "pids", "cpu"] as const;
export type Controller = (typeof controllers)[number];

/** Control groups of this process' own, for all that its tools start together. */
export interface Cgroups extends Pick<GroupFacts, "files" | "rooms"> {
  /** Which limits they hold. */
  readonly held: ReadonlySet<Controller>;
  close(): void;
}

/** Returns each controller's files of both versions; files that a kernel lacks are passed over. */
function settings(bounds: Bounds): Readonly<Record<Controller, readonly (readonly [string, string])[]>> {
  const quota = String(bounds.max_cpu_percent * (PERIOD_US / 100));
  return {
    memory: bounds.max_memory_mb < LEAST_MB ? [] : memory(String(bounds.max_memory_mb * MIB)),
    pids: [["pids.max", String(bounds.max_processes)]],
    cpu: [
      ["cpu.cfs_period_us", String(PERIOD_US)],
      ["cpu.cfs_quota_us", quota],
      ["cpu.max", `${quota} ${PERIOD_US}`],
    ],
  };
}

const memory = (bytes: string) =>
  [
    ["memory.limit_in_bytes", bytes],
    ["memory.memsw.limit_in_bytes", bytes],
    ["memory.max", bytes],
    ["memory.swap.max", "0"],
    ["memory.oom.group", "0"],
  ] as const;

let made = 0;

/** Makes groups wherever this process may, and limits nothing if it may not. Never throws. */
export function openCgroups(bounds: Bounds): Cgroups {
  const name = `gantry-${process.pid}-${++made}`;
  const wanted = settings(bounds);
  const held = new Set<Controller>();
  const directories = new Set<string>();
  const probe = spawn("/bin/sh", ["-c", "read -r _"], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  });
  probe.unref();
  for (const { parent, holds } of parents()) {
    const directory = path.join(parent, name);
    try {
      removeStale(parent);
      mkdirSync(directory);
    } catch {
      continue;
    }
    // The right to move a process there depends on where it comes from too.
    if (!write(path.join(directory, "cgroup.procs"), String(probe.pid))) {
      remove(directory);
      continue;
    }
    directories.add(directory);
    for (const controller of holds) if (apply(directory, wanted[controller])) held.add(controller);
  }
  probe.kill("SIGKILL");
  return {
    files: [...directories].map((directory) => path.join(directory, "cgroup.procs")),
    rooms: [...directories]
      .map((directory) => path.join(directory, "pids.max"))
      .filter((at) => existsSync(at)),
    held,
    close: () => directories.forEach(remove),
  };
}

/** Returns true if at least one of the values was accepted. */
function apply(directory: string, values: readonly (readonly [string, string])[]): boolean {
  return values.map(([file, value]) => write(path.join(directory, file), value)).some(Boolean);
}

function write(file: string, value: string): boolean {
  try {
    writeFileSync(file, value, { flag: "r+" });
    return true;
  } catch {
    return false;
  }
}

interface Parent {
  readonly parent: string;
  readonly holds: readonly Controller[];
}

/**
 * Returns the places for groups: version 1 has a tree for each controller, version 2 one whose
 * parent hands controllers down.
 */
function parents(): readonly Parent[] {
  const own = readText("/proc/self/cgroup").split("\n");
  const mounts = readText("/proc/self/mountinfo")
    .split("\n")
    .map((line) => line.split(" "));
  return own.flatMap((line): readonly Parent[] => {
    const [, names = "", group = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const holds = controllers.filter((controller) => names.split(",").includes(controller));
    const type = names === "" ? "cgroup2" : "cgroup";
    const mount = mounts.find(
      (m) => m.includes(type, 6) && (names === "" || m.at(-1)!.split(",").includes(names.split(",")[0]!)),
    );
    if (!mount) return [];
    const directory = path.join(mount[4]!, path.relative(mount[3]!, group));
    if (holds.length > 0) return [{ parent: directory, holds }];
    return names === "" ? delegated(directory, mount[4]!) : [];
  });
}

/**
 * Returns the nearest group above this process that hands at least one of the controllers to its
 * children.
 */
function delegated(directory: string, top: string): readonly Parent[] {
  for (let at = directory; at.startsWith(top); at = path.dirname(at)) {
    const handed = readText(path.join(at, "cgroup.subtree_control")).split(/\s+/);
    const holds = controllers.filter((controller) => handed.includes(controller));
    if (holds.length > 0) return [{ parent: at, holds }];
  }
  return [];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Groups of services that were killed; one that still holds a process cannot be removed. */
function removeStale(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^gantry-(\d+)-\d+$/.exec(name)?.[1];
    if (pid !== undefined && !readText(`/proc/${pid}/stat`)) remove(path.join(parent, name));
  }
}

function remove(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // The next service tries again.
  }
}
