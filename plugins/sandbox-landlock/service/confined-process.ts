import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { type Frame, Frames } from "../frames.ts";
import { makeTemporary, removeTemporary } from "./temporary-folder.ts";
import { ConfinedFault, ProcessLost, StartHung } from "./failures.ts";
import {
  firstWordsOf,
  type Holder,
  NoWalls,
  hasNamespaces,
  isRoot,
  launch,
  mapEverybody,
  type LaunchOptions,
} from "./launch.ts";
import {
  type Built,
  bytesOf,
  CHANNEL,
  type ConfinedFacts,
  FIRST_PIPE,
  type FromConfined,
  type Request,
  type Results,
  type ToConfined,
  withoutBytes,
} from "../messages.ts";
import type { Before } from "../workspace/kept-files.ts";

export interface Outcome<K extends Request["do"]> {
  readonly value: Results[K];
  readonly data: Uint8Array;
}

/** Who is told before a run is over. */
export interface Hearing {
  /** What it runs runs: this side of its pipes. */
  started?(pipes: readonly Socket[]): void;
  /** What was there before it, wherever that is something else than before the last one of its process. */
  before?(before: Before): void;
}

interface Pending extends Hearing {
  resolve(outcome: Outcome<Request["do"]>): void;
  reject(error: Error): void;
}

/** Beyond it a start counts as hung, even on a busy machine. */
const START_MS = 60_000;
/** A file operation that was given up and does not come back holds the process. */
const STUCK_MS = 1_000;

/** A process that starts commands and opens files; one that is not this service's, and knows nothing of it. */
export class ConfinedProcess {
  readonly #child: ChildProcess;
  readonly #frames: Frames<FromConfined, ToConfined>;
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  readonly #stuck = new Map<number, number>();
  readonly #exited: Promise<unknown>;
  readonly #up = Promise.withResolvers<void>();
  readonly #built = Promise.withResolvers<Built>();
  readonly #holder: Holder;
  /** Nothing else is asked of it, and it is deaf meanwhile. */
  readonly #searches: boolean;
  readonly #late: NodeJS.Timeout;
  #temporary: string | undefined;
  #last = 0;
  #broken: Error | undefined;

  private constructor(child: ChildProcess, holder: Holder, { only, startMs = START_MS }: LaunchOptions) {
    this.#child = child;
    this.#holder = holder;
    this.#searches = only === "search";
    this.#socket = child.stdio[CHANNEL] as Socket;
    this.#frames = new Frames(this.#socket, (frame) => this.#take(frame));
    const late = new StartHung(`a process for it did not start within ${startMs / 1000} s`);
    this.#late = setTimeout(() => this.#kill(late), startMs);
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    for (const promise of [this.#up.promise, this.#built.promise]) promise.catch(() => undefined);
    child.once("error", (error) => this.#break(error));
    child.once("exit", () => this.#break(new ProcessLost()));
    this.#socket.on("error", (error) => this.#break(error));
    this.#socket.on("close", () => this.#break(new ProcessLost()));
  }

  /** Throws NoWalls where namespaces are refused, StartHung. */
  static async start(holder: Holder, options: LaunchOptions): Promise<ConfinedProcess> {
    const child = launch(holder, options);
    const confined = new ConfinedProcess(child, holder, options);
    const said = firstWordsOf(child);
    try {
      await confined.#up.promise;
      if (hasNamespaces(holder) && isRoot()) mapEverybody(child.pid!);
      return confined;
    } catch (error) {
      await confined.close();
      if (error instanceof StartHung) throw error;
      throw new NoWalls(said().trim().split("\n").at(-1) || String(error));
    }
  }

  /** Tells it that it is confined to nothing. */
  tell(facts: ConfinedFacts): void {
    this.#frames.send(facts);
    this.#rest();
  }

  /** Tells it what it is confined to; resolves to what its walls are once they stand. Throws NoWalls. */
  async confine(facts: ConfinedFacts): Promise<Built> {
    this.#frames.send(facts);
    return this.#built.promise;
  }

  /** A folder for temporary files of its runs alone, removed with it; none of `open` reaches it. */
  makeTemporary(open: readonly string[]): string | undefined {
    return (this.#temporary = makeTemporary(open));
  }

  /** The supervisor answers from here on. */
  go(): void {
    this.#frames.send({ go: true });
    this.#rest();
  }

  /** The process itself; what was started is around it. */
  get pid(): number {
    const { pid } = this.#child;
    if (this.#holder === "itself") return pid!;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim());
  }

  /** False where it broke, or where a file operation that was given up still holds it. */
  get usable(): boolean {
    return this.#broken === undefined && ![...this.#stuck.values()].some(isLong);
  }

  /** Throws ConfinedFault, and the signal's reason where it is aborted. */
  async request<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
    hearing: Hearing = {},
  ): Promise<Outcome<K>> {
    signal.throwIfAborted();
    if (this.#broken) throw this.#broken;
    const id = ++this.#last;
    const abort = (): void => {
      this.#frames.send({ id, abort: true });
      if (request.do === "run") return;
      this.#stuck.set(id, performance.now());
      this.#settle(id, (pending) => pending.reject(signal.reason));
      if (this.#searches) this.#kill(new ProcessLost());
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await new Promise<Outcome<K>>((resolve, reject) => {
        this.#pending.set(id, { ...hearing, resolve: resolve as Pending["resolve"], reject });
        this.#child.ref();
        this.#socket.ref();
        this.#frames.send({ id, request: withoutBytes(request) }, bytesOf(request));
      });
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Ends it, and with it all that it started. */
  async close(): Promise<void> {
    const closed = new Error("the sandbox is closed");
    this.#break(closed);
    this.#child.ref();
    this.#socket.destroy();
    if (this.#searches) this.#kill(closed);
    // In a namespace the kernel ends what it started; elsewhere it does so itself, once its channel is gone.
    if (hasNamespaces(this.#holder)) this.#child.kill("SIGKILL");
    this.#child.stdin?.destroy();
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined)
      await this.#exited;
    if (this.#temporary !== undefined) removeTemporary(this.#temporary);
  }

  #take({ message, data }: Frame<FromConfined>): void {
    if ("up" in message) return this.#up.resolve();
    if ("built" in message) return this.#built.resolve(message.built);
    if ("absent" in message) return this.#built.reject(new NoWalls(message.absent));
    if ("before" in message) return this.#pending.get(message.id)?.before?.(message.before);
    if ("started" in message) return this.#pending.get(message.id)?.started?.(this.#pipes());
    this.#stuck.delete(message.id);
    this.#settle(message.id, (pending) =>
      "fault" in message
        ? pending.reject(new ConfinedFault(message.fault))
        : pending.resolve({ value: message.value as never, data }),
    );
  }

  #pipes(): readonly Socket[] {
    return this.#child.stdio.slice(FIRST_PIPE) as unknown as readonly Socket[];
  }

  #settle(id: number, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    this.#rest();
    settle(pending);
  }

  /** While it has nothing to do it keeps nobody alive. */
  #rest(): void {
    clearTimeout(this.#late);
    if (this.#pending.size > 0) return;
    this.#child.unref();
    this.#socket.unref();
  }

  /** All of its group: what was started is around the process itself. */
  #kill(error: Error): void {
    this.#break(error);
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
  }

  #break(error: Error): void {
    clearTimeout(this.#late);
    this.#broken ??= error;
    this.#up.reject(error);
    this.#built.reject(error);
    for (const id of this.#pending.keys()) this.#settle(id, (pending) => pending.reject(error));
  }
}

function isLong(since: number): boolean {
  return performance.now() - since >= STUCK_MS;
}
