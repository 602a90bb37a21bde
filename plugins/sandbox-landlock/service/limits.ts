import { type Cgroups, type Controller, openCgroups } from "./cgroups.ts";
import type { Bounds } from "../config.ts";
import type { WallFacts } from "../messages.ts";
import type { ResourceLimit, SupervisorFacts } from "../supervisor/supervisor.ts";
import type { Watched } from "../supervisor/watch.ts";

const RLIMIT_FSIZE = 1;
const RLIMIT_DATA = 2;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;
const MIB = 1024 * 1024;
/** A shell counts in halves of a KiB. */
const FILE_UNITS = 2048;
/** A confined process needs as many itself. */
const OWN_FILES = 64;

export interface Limits {
  readonly walls: Pick<WallFacts, "temporaryMb" | "starts" | "firsts" | "memoryHeld">;
  readonly bounds: SupervisorFacts["bounds"];
  /** For `status`. */
  readonly detail: string;
  close(): void;
}

const noCgroups: Cgroups = { files: [], rooms: [], held: new Set(), close: () => undefined };

/**
 * Sets up the bounds on this machine: control groups for all runs together if there are any and
 * they are wanted, and limits of each process besides.
 */
export function prepareLimits(bounds: Bounds, cgroups = true): Limits {
  const { files, rooms, held, close } = cgroups ? openCgroups(bounds) : noCgroups;
  const limits: readonly ResourceLimit[] = [
    [RLIMIT_CORE, 0],
    [RLIMIT_NOFILE, Math.max(bounds.max_file_descriptors, OWN_FILES)],
    [RLIMIT_FSIZE, bounds.max_file_mb * MIB],
  ];
  const runLimits: ResourceLimit[] = [];
  if (bounds.max_file_descriptors < OWN_FILES) runLimits.push([RLIMIT_NOFILE, bounds.max_file_descriptors]);
  if (!held.has("memory")) runLimits.push([RLIMIT_DATA, bounds.max_memory_mb * MIB]);
  const watched: Watched = {
    ...(!held.has("memory") && { memoryBytes: bounds.max_memory_mb * MIB }),
    ...(!held.has("pids") && { processes: bounds.max_processes }),
    ...(!held.has("cpu") && { cpuPercent: bounds.max_cpu_percent }),
  };
  return {
    walls: {
      temporaryMb: Math.ceil(bounds.max_memory_mb / 2),
      starts: watched.processes !== undefined,
      firsts: runLimits.length > 0,
      memoryHeld: held.has("memory"),
    },
    bounds: { limits, runLimits, groups: { files, rooms, most: bounds.max_processes }, watched },
    detail: describe(bounds, held),
    close,
  };
}

/** Returns the same limits as far as a shell can set them, for when nothing else does. */
export function limitingShell(bounds: Bounds): readonly string[] {
  const script = `ulimit -c 0; ulimit -n ${bounds.max_file_descriptors}; ulimit -d ${bounds.max_memory_mb * 1024}; ulimit -f ${bounds.max_file_mb * FILE_UNITS}; exec "$@"`;
  return ["/bin/sh", "-c", script, "sh"];
}

function describe(bounds: Bounds, held: ReadonlySet<Controller>): string {
  const words: Readonly<Record<Controller, string>> = {
    memory: `${bounds.max_memory_mb} MiB`,
    pids: `${bounds.max_processes} processes`,
    cpu: `${bounds.max_cpu_percent} % processor time`,
  };
  const all = Object.keys(words) as Controller[];
  const together = all.filter((controller) => held.has(controller)).map((controller) => words[controller]);
  const apart = all.filter((controller) => !held.has(controller));
  const looked = apart.filter((controller) => controller !== "pids").map((controller) => words[controller]);
  return [
    ...(together.length > 0 ? [`${together.join(", ")} for all commands together`] : []),
    ...(apart.includes("pids") ? [`${words.pids} for all commands together, each asked for`] : []),
    ...(looked.length > 0 ? [`${looked.join(", ")} checked ten times a second`] : []),
    `${bounds.max_file_descriptors} open files a process`,
  ].join("; ");
}
