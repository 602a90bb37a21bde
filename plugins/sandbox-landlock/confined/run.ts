import { statSync } from "node:fs";
import type { RunResult } from "@gantry/sdk";
import { watchDisk } from "./disk-watch.ts";
import type { ConfinedFacts, Fault } from "../messages.ts";
import { type RunRequest, type Surroundings, runProcess } from "./process.ts";
import type { Temporary } from "./temporary.ts";
import type { WorkspaceSize } from "./workspace-size.ts";
import type { Mounter } from "../view/mounter.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** The parts that a confined process works with once its walls stand. */
export interface Confined {
  readonly facts: ConfinedFacts;
  readonly workspace: Workspace;
  readonly size: WorkspaceSize;
  readonly ending: Omit<Surroundings, "started">;
  /** Defined only in a process that is there to search. */
  readonly search?: typeof import("./search-files.ts");
  /** Undefined if runs have no views. */
  readonly mounter?: Mounter;
  /** Undefined if there is no place for temporary files. */
  readonly temporary?: Temporary;
}

/** Thrown with what is told of it. */
export class Refused extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.fault);
    this.fault = fault;
  }
}

/** The parts that differ from run to run. */
interface How extends Pick<Surroundings, "within" | "started"> {
  /** Further folders that it may fill. */
  readonly written?: readonly string[];
}

/** Runs a command in the workspace itself. Throws Refused if its masks do not fit any more. */
export async function runDirect(
  confined: Confined,
  request: RunRequest,
  abort: AbortController,
  started: () => void,
): Promise<RunResult> {
  const refused = confined.workspace.begin();
  if (refused) throw new Refused(refused);
  return runWatched(confined, request, abort, { within: confined.ending.within, started });
}

/**
 * Runs a command to its end, or until it has filled what it may. `findings`: what it was stopped
 * for.
 */
export async function runWatched(
  { facts, size, ending, temporary }: Confined,
  request: RunRequest,
  abort: AbortController,
  { within, started, written = [] }: How,
): Promise<RunResult & { readonly findings: readonly string[] }> {
  const findings: string[] = [];
  const stop = (why: string): void => {
    findings.push(`stopped: ${why}`);
    abort.abort();
  };
  const filled = [facts.workspace, ...(facts.walls?.write ?? []), ...(temporary ? [temporary.path] : [])];
  const unwatch = [watchDisk(onePerDevice([...filled, ...written]), facts.diskMb, stop), size.watch(stop)];
  try {
    const argv = [...facts.prefix, ...request.argv];
    const own = temporary?.path ?? facts.workspace;
    const env = { ...(temporary && { TMPDIR: own }), HOME: own, ...request.env };
    const cwd = request.cwd ?? own;
    const around = { ...ending, started, within };
    return { ...(await runProcess({ ...request, argv, cwd, env }, around, abort.signal)), findings };
  } finally {
    for (const end of unwatch) end();
    temporary?.empty();
  }
}

/** Returns the first folder of each file system. */
function onePerDevice(folders: readonly string[]): readonly string[] {
  const devices = folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.dev);
  return folders.filter((_, i) => devices[i] !== undefined && devices.indexOf(devices[i]) === i);
}
