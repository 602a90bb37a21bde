import type { FileSearch } from "@gantry/sdk/fill";
import type { RunResult } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import { faultOf, listDirectory, readFile } from "./files.ts";
import type { Fault, Request, Results } from "../messages.ts";
import { NotStarted, type RunRequest } from "./process.ts";
import { Changed, replaceFile } from "./replace.ts";
import { type Confined, Refused, runDirect } from "./run.ts";
import { runInView } from "../view/run-in-view.ts";

const EXDEV = 18;
const VERBS = { read: "read", write: "written", list: "listed" } as const;

interface Done {
  readonly value: Results[keyof Results];
  readonly data?: Uint8Array;
}

/**
 * Follows requests inside the walls. Files are only ever touched by synchronous calls, on the
 * thread that has the walls.
 */
export class Requests {
  readonly #running = new Map<number, { readonly abort: AbortController; readonly over: Promise<unknown> }>();
  readonly #confined: Confined;

  constructor(confined: Confined) {
    this.#confined = confined;
  }

  async follow(id: number, request: Request, bytes: Uint8Array, started: () => void): Promise<Done> {
    const refused = this.#confined.workspace.refuse(request) ?? this.#outside(request);
    if (refused) throw new Refused(refused);
    switch (request.do) {
      case "move":
        return { value: { errno: this.#confined.mounter?.move(request) ?? EXDEV } };
      case "read": {
        const { data, bytes } = readFile(request.path, request.maxBytes);
        return { value: { bytes }, data };
      }
      case "write": {
        if (isInside(request.path, this.#confined.workspace.root)) this.#checkRoom(bytes.length);
        const { existed, before } = replaceFile({ ...request, data: request.data === null ? null : bytes });
        const kept = before !== undefined;
        return { value: { existed, kept }, ...(kept && { data: before }) };
      }
      case "list":
        return { value: listDirectory(request.path, request.limit) };
      case "search":
        return { value: this.#search(request) };
      case "run":
        return { value: await this.#follow(id, request, started) };
    }
  }

  /** Searches files, without those that a read would refuse. */
  #search(request: FileSearch): Results["search"] {
    const { searchFiles, NoPattern } = this.#confined.search!;
    try {
      return searchFiles(request, (file) => this.#searched(file, request.maxFileBytes));
    } catch (error) {
      if (!(error instanceof NoPattern)) throw error;
      throw new Refused({ fault: "pattern", pattern: request.pattern, reason: error.message });
    }
  }

  #searched(path: string, maxBytes: number): Uint8Array | undefined {
    const read = { do: "read", path, maxBytes } as const;
    if (this.#confined.workspace.refuse(read) ?? this.#outside(read)) return undefined;
    try {
      const { data, bytes } = readFile(path, maxBytes);
      return bytes > maxBytes ? undefined : data;
    } catch {
      return undefined;
    }
  }

  /** Refuses paths outside the roots, as a private /tmp, where a tool's files would be lost. */
  #outside(request: Request): Fault | undefined {
    if (!("path" in request)) return undefined;
    const roots = this.#rootsFor(request);
    const { path } = request;
    return roots && !roots.some((root) => isInside(path, root)) ? { fault: "outside", path } : undefined;
  }

  #rootsFor(request: Request): readonly string[] | undefined {
    const { walls } = this.#confined.facts;
    return request.do === "write" ? walls?.write : walls?.read;
  }

  abort(id: number): void {
    this.#running.get(id)?.abort.abort();
  }

  /** Ends what runs; resolves once it has ended. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await Promise.allSettled(running.map(({ over }) => over));
  }

  faultOf(error: unknown, request: Request): Fault {
    if (error instanceof Refused) return error.fault;
    if (error instanceof Changed && request.do === "write") return { fault: "changed", path: request.path };
    if (!("path" in request)) {
      const { root } = this.#confined.workspace;
      if (error instanceof NotStarted && request.do === "run")
        return { fault: "not started", path: request.argv[0] ?? "", reason: error.message };
      return { fault: "failed", path: root, verb: "looked through", reason: String(error) };
    }
    return faultOf(error, request.path, VERBS[request.do], this.#rootsFor(request));
  }

  async #follow(id: number, request: RunRequest, started: () => void): Promise<RunResult> {
    const abort = new AbortController();
    const over = this.#run(request, abort, started);
    this.#running.set(id, { abort, over });
    try {
      return await over;
    } finally {
      this.#running.delete(id);
    }
  }

  #run(request: RunRequest, abort: AbortController, started: () => void): Promise<RunResult> {
    if (this.#confined.temporary?.isSpent) throw new Refused({ fault: "stale" });
    this.#checkRoom(0);
    return (request.view ? runInView : runDirect)(this.#confined, request, abort, started);
  }

  #checkRoom(bytes: number): void {
    const { size, workspace } = this.#confined;
    if (size.left() < bytes) throw new Refused({ fault: "full", path: workspace.root });
  }
}
