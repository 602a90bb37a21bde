import { type Cgroups, type Controller, openCgroups } from "./cgroups.ts";
import type { Bounds } from "../config.ts";
import type { WallFacts } from "../messages.ts";
import type { GroupFacts } from "../supervisor/groups.ts";
import type { ResourceLimit } from "../supervisor/supervisor.ts";

const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NPROC = 6;
const RLIMIT_NOFILE = 7;
const KIB = 1024;
const MIB = KIB * KIB;
/** A shell counts in halves of a KiB. */
const FILE_UNITS = 2048;
/** A confined process, which has the limits that its runs have from it, needs as many itself. */
const OWN_FILES = 64;
const OWN_THREADS = 16;

export interface Limits {
  readonly walls: Pick<WallFacts, "temporaryMb" | "memoryHeld">;
  /** For all runs together. */
  readonly groups: GroupFacts;
  /** For each confined process, from which its runs have them. */
  limitsOf(namespaces: boolean): readonly ResourceLimit[];
  /** Words that stand before every program. */
  readonly prefix: readonly string[];
  /** For `status`. */
  readonly detail: string;
  close(): void;
}

const noCgroups: Cgroups = { files: [], rooms: [], held: new Set(), close: () => undefined };

/**
 * Sets up the bounds on this machine: control groups for all runs together if there are any and
 * they are wanted, and limits of each process besides. Where no group holds memory or processes, a
 * limit of each process, or of each run, is all that does.
 */
export function prepareLimits(bounds: Bounds, cgroups = true): Limits {
  const { files, rooms, held, close } = cgroups ? openCgroups(bounds) : noCgroups;
  const limits: readonly ResourceLimit[] = [
    [RLIMIT_CORE, 0],
    [RLIMIT_NOFILE, Math.max(bounds.max_file_descriptors, OWN_FILES)],
    [RLIMIT_FSIZE, bounds.max_file_mb * MIB],
  ];
  // Outside of a namespace all processes of the user count.
  const most: ResourceLimit = [RLIMIT_NPROC, bounds.max_processes + OWN_THREADS];
  return {
    walls: { temporaryMb: Math.ceil(bounds.max_memory_mb / 2), memoryHeld: held.has("memory") },
    prefix: held.has("memory") && bounds.max_file_descriptors >= OWN_FILES ? [] : limiting(ofEach(bounds)),
    groups: { files, rooms, most: bounds.max_processes },
    limitsOf: (namespaces) => (namespaces && !held.has("pids") ? [...limits, most] : limits),
    detail: describe(bounds, held),
    close,
  };
}

/** Returns the words of a shell that sets the limits of each process, if nothing else does. */
export function limitingShell(bounds: Bounds): readonly string[] {
  return limiting(`ulimit -c 0; ulimit -f ${bounds.max_file_mb * FILE_UNITS}; ${ofEach(bounds)}`);
}

/** Returns the limits that a confined process could not work under itself. */
const ofEach = (bounds: Bounds): string =>
  `ulimit -n ${bounds.max_file_descriptors}; ulimit -d ${bounds.max_memory_mb * KIB}`;

const limiting = (script: string): readonly string[] => ["/bin/sh", "-c", `${script}; exec "$@"`, "sh"];

function describe(bounds: Bounds, held: ReadonlySet<Controller>): string {
  const words: Readonly<Record<Controller, string>> = {
    memory: `${bounds.max_memory_mb} MiB`,
    pids: `${bounds.max_processes} processes`,
    cpu: `${bounds.max_cpu_percent} % processor time`,
  };
  const all = Object.keys(words) as Controller[];
  const together = all.filter((controller) => held.has(controller)).map((controller) => words[controller]);
  const apart = all.filter((controller) => !held.has(controller));
  return [
    ...(together.length > 0 ? [`${together.join(", ")} for all commands together`] : []),
    ...(apart.includes("memory") ? [`${bounds.max_memory_mb} MiB a process`] : []),
    ...(apart.includes("pids") ? [pidsApart(bounds.max_processes)] : []),
    ...(apart.includes("cpu") ? ["no control group bounds processor time"] : []),
    `${bounds.max_file_descriptors} open files a process`,
  ].join("; ");
}

/** The kernel counts the processes of an ordinary user alone. */
const pidsApart = (most: number): string =>
  process.getuid?.() === 0 ? "no control group bounds processes" : `${most} processes a command`;
