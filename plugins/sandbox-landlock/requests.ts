import { statSync } from "node:fs";
import type { RunResult } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import { watchDisk } from "./disk-watch.ts";
import { faultOf, listDirectory, readFile } from "./files.ts";
import type { ConfinedFacts, Fault, Request, Results } from "./messages.ts";
import type { Outputs } from "./outputs.ts";
import { NotStarted, type RunRequest, type Surroundings, runProcess } from "./process.ts";
import { Changed, replaceFile } from "./replace.ts";
import type { Temporary } from "./temporary.ts";
import type { Workspace } from "./workspace.ts";

const VERBS = { read: "read", write: "written", list: "listed" } as const;

/** What a confined process works with once its walls stand. */
export interface Confined {
  readonly facts: ConfinedFacts;
  readonly workspace: Workspace;
  readonly ending: Omit<Surroundings, "outputs">;
  readonly outputs?: Outputs;
  /** Undefined where there is no place for temporary files. */
  readonly temporary?: Temporary;
}

/** Thrown with what is told of it. */
class Refused extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.fault);
    this.fault = fault;
  }
}

interface Done {
  readonly value: Results[keyof Results];
  readonly data?: Uint8Array;
}

/** Follows requests inside the walls. Files are only ever touched by synchronous calls, on the thread that has the walls. */
export class Requests {
  readonly #running = new Map<number, AbortController>();
  readonly #over = new Set<Promise<unknown>>();
  #confined: Confined | undefined;

  begin(confined: Confined): void {
    this.#confined = confined;
  }

  async follow(id: number, request: Request, bytes: Uint8Array): Promise<Done> {
    const refused = this.#confined!.workspace.refuse(request) ?? this.#outside(request);
    if (refused) throw new Refused(refused);
    switch (request.do) {
      case "read": {
        const { data, bytes } = readFile(request.path, request.maxBytes);
        return { value: { bytes }, data };
      }
      case "write": {
        const { existed, before } = replaceFile({ ...request, data: request.data === null ? null : bytes });
        const kept = before !== undefined;
        return { value: { existed, kept }, ...(kept && { data: before }) };
      }
      case "list":
        return { value: listDirectory(request.path, request.limit) };
      case "run":
        return { value: await this.#follow(id, request) };
    }
  }

  /** A private /tmp is for runs: what a tool writes there would be lost. */
  #outside(request: Request): Fault | undefined {
    if (request.do === "run") return undefined;
    const roots = this.#rootsFor(request);
    const { path } = request;
    return roots && !roots.some((root) => isInside(path, root)) ? { fault: "outside", path } : undefined;
  }

  #rootsFor(request: Request): readonly string[] | undefined {
    const walls = this.#confined?.facts.walls;
    return request.do === "write" ? walls?.write : walls?.read;
  }

  abort(id: number): void {
    this.#running.get(id)?.abort();
  }

  /** Ends what runs; resolves once it has ended. */
  async stop(): Promise<void> {
    for (const abort of this.#running.values()) abort.abort();
    await Promise.allSettled(this.#over);
  }

  faultOf(error: unknown, request: Request): Fault {
    if (error instanceof Refused) return error.fault;
    if (error instanceof Changed && request.do === "write") return { fault: "changed", path: request.path };
    if (request.do === "run") {
      const reason = error instanceof NotStarted ? error.message : String(error);
      return { fault: "not started", path: request.argv[0] ?? "", reason };
    }
    return faultOf(error, request.path, VERBS[request.do], this.#rootsFor(request));
  }

  async #follow(id: number, request: RunRequest): Promise<RunResult> {
    const abort = new AbortController();
    const over = this.#run(request, abort);
    this.#running.set(id, abort);
    this.#over.add(over);
    try {
      return await over;
    } finally {
      this.#running.delete(id);
      this.#over.delete(over);
    }
  }

  async #run(request: RunRequest, abort: AbortController): Promise<RunResult> {
    const confined = this.#confined!;
    const { facts, workspace, ending, outputs, temporary } = confined;
    if (temporary?.isSpent || !workspace.begin(request.others)) throw new Refused({ fault: "stale" });
    const findings: string[] = [];
    const unwatch = watchDisk(this.#written(confined), facts.diskMb, (why) => {
      findings.push(`stopped: ${why}`);
      abort.abort();
    });
    try {
      const argv = [...facts.prefix, ...request.argv];
      const surroundings = outputs ? { ...ending, outputs } : ending;
      const env = temporary ? { TMPDIR: temporary.path, ...request.env } : request.env;
      const result = await runProcess({ ...request, argv, env }, surroundings, abort.signal);
      findings.push(...workspace.finish());
      const [stdout, stderr] = [workspace.hide(result.stdout), workspace.hide(result.stderr)];
      return { ...result, stdout, stderr, findings };
    } finally {
      unwatch();
      temporary?.empty();
    }
  }

  /** Folders whose file systems a run may fill; the first of each. */
  #written({ facts, temporary }: Confined): readonly string[] {
    const folders = [facts.workspace, ...(facts.walls?.write ?? []), ...(temporary ? [temporary.path] : [])];
    const devices = folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.dev);
    return folders.filter((_, i) => devices[i] !== undefined && devices.indexOf(devices[i]) === i);
  }
}
