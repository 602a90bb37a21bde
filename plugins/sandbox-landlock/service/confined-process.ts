import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { type OfStart, ofStart, startRoom } from "./answers.ts";
import type { Hearing, Outcome } from "./asked.ts";
import { type Frame, Frames, type Room } from "../../shared/frames.ts";
import { makeTemporary, removeTemporary } from "./temporary-folder.ts";
import { ProcessLost, StartHung } from "./failures.ts";
import {
  childrenOf,
  firstWordsOf,
  type Holder,
  NoWalls,
  hasNamespaces,
  isRoot,
  killAll,
  launch,
  mapEverybody,
  type LaunchOptions,
} from "./launch.ts";
import { Questions } from "./questions.ts";
import {
  type Built,
  bytesOf,
  CHANNEL,
  type ConfinedFacts,
  FIRST_PIPE,
  type Request,
  type ToConfined,
  withoutBytes,
} from "../messages.ts";

/** Beyond it a start counts as hung, even on a busy machine. */
const START_MS = 60_000;
/** Killing and checking what a run leaves takes much less. */
const LATE_MS = 30_000;
/** Without its channel it ends what runs, and itself. */
const CLOSE_MS = 12_000;

/**
 * A process that starts commands and opens files; one that is not this service's, and knows nothing
 * of it. What runs there may have taken it over, so what it says is held to what it was asked: if
 * it says anything else, or nothing in time, it is killed, and what was asked of it is lost.
 */
export class ConfinedProcess {
  readonly #child: ChildProcess;
  readonly #frames: Frames<unknown, ToConfined>;
  readonly #socket: Socket;
  readonly #questions: Questions;
  readonly #exited: Promise<unknown>;
  readonly #up = Promise.withResolvers<void>();
  readonly #built = Promise.withResolvers<Built>();
  readonly #holder: Holder;
  /** Nothing else is asked of it, and it is deaf meanwhile. */
  readonly #searches: boolean;
  readonly #lateMs: number;
  readonly #late: NodeJS.Timeout;
  /** True while its next message is about its start. */
  #starts = true;
  #isUp = false;
  #temporary: string | undefined;
  #broken: Error | undefined;

  private constructor(child: ChildProcess, holder: Holder, options: LaunchOptions) {
    const { only, startMs = START_MS, lateMs = LATE_MS } = options;
    this.#child = child;
    this.#holder = holder;
    this.#searches = only === "search";
    this.#lateMs = lateMs;
    this.#socket = child.stdio[CHANNEL] as Socket;
    const room = (): Room => (this.#starts ? startRoom : this.#questions.room);
    const take = (frame: Frame<unknown>): void => this.#take(frame);
    this.#frames = new Frames<unknown, ToConfined>(this.#socket, this.#socket, take, room);
    this.#questions = new Questions({
      lateMs,
      late: () => this.#end(new ProcessLost()),
      pipes: () => child.stdio.slice(FIRST_PIPE) as unknown as readonly Socket[],
    });
    const hung = new StartHung(`a process for it did not start within ${startMs / 1000} s`);
    this.#late = setTimeout(() => this.#end(hung), startMs);
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    for (const promise of [this.#up.promise, this.#built.promise]) promise.catch(() => undefined);
    child.once("error", (error) => this.#break(error));
    child.once("exit", () => this.#break(new ProcessLost()));
    this.#socket.on("error", () => this.#end(new ProcessLost()));
    this.#socket.on("close", () => this.#end(new ProcessLost()));
  }

  /** Throws NoWalls if namespaces are refused, StartHung. */
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
    this.#starts = false;
    this.#frames.send(facts);
    this.#rest();
  }

  /** Tells it what it is confined to. Resolves to its walls once they stand. Throws NoWalls. */
  async confine(facts: ConfinedFacts): Promise<Built> {
    this.#frames.send(facts);
    return this.#built.promise;
  }

  /** Makes a folder for its runs' temporary files, removed with it; none of `open` reaches it. */
  makeTemporary(open: readonly string[]): string | undefined {
    return (this.#temporary = makeTemporary(open));
  }

  /** Tells it that the supervisor answers from here on. */
  go(): void {
    this.#frames.send({ go: true });
    this.#rest();
  }

  /** The process itself; what was started is around it. Throws ProcessLost. */
  get pid(): number {
    const { pid } = this.#child;
    const inner = this.#holder === "itself" ? pid : childrenOf(pid!)[0];
    if (inner === undefined) throw new ProcessLost();
    return inner;
  }

  /** False if it broke, or if a file operation that was given up still holds it. */
  get usable(): boolean {
    return this.#broken === undefined && !this.#questions.areStuck;
  }

  /** Throws ConfinedFault, ProcessLost, and the signal's reason if it is aborted. */
  async request<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
    hearing: Hearing = {},
  ): Promise<Outcome<K>> {
    signal.throwIfAborted();
    if (this.#broken) throw this.#broken;
    const said = withoutBytes(request);
    const [id, asked] = this.#questions.ask(said, hearing);
    const abort = (): void => {
      this.#frames.send({ id, abort: true });
      asked.abort(signal.reason);
      if (this.#searches) this.#end(new ProcessLost());
      this.#rest();
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#child.ref();
    this.#socket.ref();
    try {
      const sent = this.#frames.send({ id, request: said }, bytesOf(request));
      return (await asked.answer(sent)) as Outcome<K>;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Ends it, and with it all that it started. */
  async close(): Promise<void> {
    this.#break(new Error("the sandbox is closed"));
    this.#child.ref();
    this.#socket.destroy();
    // In a namespace the kernel ends what it started; elsewhere it does so itself without its
    // channel.
    if (this.#searches || hasNamespaces(this.#holder)) this.#kill();
    const late = setTimeout(() => this.#kill(), Math.min(CLOSE_MS, this.#lateMs));
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined)
      await this.#exited;
    clearTimeout(late);
    if (this.#temporary !== undefined) removeTemporary(this.#temporary);
  }

  #take({ message, data }: Frame<unknown>): void {
    if (this.#broken) return;
    const isRight = this.#starts ? this.#takeStart(ofStart(message, this.#isUp)) : this.#hear(message, data);
    if (!isRight) this.#end(new ProcessLost());
  }

  #takeStart(said: OfStart | undefined): boolean {
    if (!said) return false;
    this.#isUp = true;
    this.#starts = "up" in said;
    if ("up" in said) this.#up.resolve();
    else if ("built" in said) this.#built.resolve(said.built);
    else this.#built.reject(new NoWalls(said.absent));
    return true;
  }

  #hear(message: unknown, data: Uint8Array): boolean {
    const isRight = this.#questions.hear(message, data);
    this.#rest();
    return isRight;
  }

  /** Lets the service end while the process has nothing to do. */
  #rest(): void {
    clearTimeout(this.#late);
    if (this.#questions.areOpen) return;
    this.#child.unref();
    this.#socket.unref();
  }

  /** Ends a process that may not do as it is told any more. */
  #end(error: Error): void {
    if (this.#broken) return;
    this.#break(error);
    this.#kill();
    this.#socket.destroy();
  }

  /**
   * Kills the processes around it and in its group, and the process itself, which may have left
   * them: with it goes its namespace. Outside of a namespace the supervisor kills what it leaves.
   */
  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null) killAll([...childrenOf(pid), pid]);
  }

  #break(error: Error): void {
    clearTimeout(this.#late);
    this.#broken ??= error;
    this.#up.reject(error);
    this.#built.reject(error);
    this.#questions.fail(error);
    this.#rest();
  }
}
