import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { entryBeside } from "./entry.ts";
import { type Frame, Frames } from "./frames.ts";
import type { Built, ConfinedFacts, Fault, FromConfined, Request, Results, ToConfined } from "./messages.ts";

/** A fault that the confined process told of, still without its error code. */
export class ConfinedFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.fault);
    this.fault = fault;
  }
}

/** Thrown where the walls cannot be built, with the reason. */
export class NoWalls extends Error {}

export interface Outcome<K extends Request["do"]> {
  readonly value: Results[K];
  readonly data: Uint8Array;
}

interface Pending {
  resolve(outcome: Outcome<Request["do"]>): void;
  reject(error: Error): void;
}

const CHANNEL = 3;
/** A file operation that was given up and does not come back holds the process. */
const STUCK_MS = 1_000;
const UNSHARE = ["/usr/bin/unshare", "/bin/unshare"];
/** User, process and mount namespaces; the first process in there takes all others with it, and goes with `unshare`. */
const NAMESPACES = ["--user", "--keep-caps", "--pid", "--fork", "--kill-child", "--mount"];
/** No debugger, no more threads and memory than it needs. */
const NODE = ["--disable-sigusr1", "--v8-pool-size=1", "--max-semi-space-size=1", "--no-warnings"];
/** A namespace in which every user and group is who they are outside; only root may make one. */
const EVERYBODY = "0 0 4294967295\n";

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
  readonly #namespaces: boolean;
  #last = 0;
  #broken: Error | undefined;

  private constructor(child: ChildProcess, namespaces: boolean) {
    this.#child = child;
    this.#namespaces = namespaces;
    this.#socket = child.stdio[CHANNEL] as Socket;
    this.#frames = new Frames(this.#socket, (frame) => this.#take(frame));
    this.#exited = new Promise((resolve) => child.once("exit", resolve));
    for (const promise of [this.#up.promise, this.#built.promise]) promise.catch(() => undefined);
    child.once("error", (error) => this.#break(error));
    child.once("exit", () => this.#break(new Error("the confined process ended")));
    this.#socket.on("error", (error) => this.#break(error));
    this.#socket.on("close", () => this.#break(new Error("the confined process closed its channel")));
  }

  /** `base`: the address of the file beside which its entry stands. Throws NoWalls where namespaces are refused. */
  static async start(base: string, namespaces: boolean): Promise<ConfinedProcess> {
    const { url, nodeArgs } = entryBeside(base, "confined-worker");
    const node = [process.execPath, ...NODE, ...nodeArgs, fileURLToPath(url)];
    const user = process.getuid?.() === 0 ? [] : ["--map-current-user"];
    const argv = namespaces ? [unshare(), ...NAMESPACES, ...user, "--", ...node] : node;
    const child = spawn(argv[0]!, argv.slice(1), {
      cwd: "/",
      env: {},
      // A terminal's signals are for the service alone.
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    const confined = new ConfinedProcess(child, namespaces);
    const said = collect(child);
    try {
      await confined.#up.promise;
      if (namespaces && user.length === 0) mapEverybody(child.pid!);
      return confined;
    } catch (error) {
      await confined.close();
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

  /** The supervisor answers from here on. */
  go(): void {
    this.#frames.send({ go: true });
    this.#rest();
  }

  /** The process itself, which in a namespace is not the one that was started. */
  get pid(): number {
    const { pid } = this.#child;
    if (!this.#namespaces) return pid!;
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
  ): Promise<Outcome<K>> {
    signal.throwIfAborted();
    if (this.#broken) throw this.#broken;
    const id = ++this.#last;
    const abort = (): void => {
      this.#frames.send({ id, abort: true });
      if (request.do === "run") return;
      this.#stuck.set(id, performance.now());
      this.#settle(id, (pending) => pending.reject(signal.reason));
    };
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await new Promise<Outcome<K>>((resolve, reject) => {
        this.#pending.set(id, { resolve: resolve as Pending["resolve"], reject });
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
    this.#break(new Error("the sandbox is closed"));
    this.#child.ref();
    this.#socket.destroy();
    // In a namespace the kernel ends what it started; elsewhere it does so itself, once its channel is gone.
    if (this.#namespaces) this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined)
      await this.#exited;
  }

  #take({ message, data }: Frame<FromConfined>): void {
    if ("up" in message) return this.#up.resolve();
    if ("built" in message) return this.#built.resolve(message.built);
    if ("absent" in message) return this.#built.reject(new NoWalls(message.absent));
    this.#stuck.delete(message.id);
    this.#settle(message.id, (pending) =>
      "fault" in message
        ? pending.reject(new ConfinedFault(message.fault))
        : pending.resolve({ value: message.value as never, data }),
    );
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
    if (this.#pending.size > 0) return;
    this.#child.unref();
    this.#socket.unref();
  }

  #break(error: Error): void {
    this.#broken ??= error;
    this.#up.reject(error);
    this.#built.reject(error);
    for (const id of this.#pending.keys()) this.#settle(id, (pending) => pending.reject(error));
  }
}

/** What a write writes travels as bytes. */
function bytesOf(request: Request): Uint8Array | undefined {
  if (request.do !== "write" || request.data === null) return undefined;
  return typeof request.data === "string" ? Buffer.from(request.data) : request.data;
}

function withoutBytes(request: Request): Request {
  return request.do === "write" && request.data !== null ? { ...request, data: "" } : request;
}

function isLong(since: number): boolean {
  return performance.now() - since >= STUCK_MS;
}

function unshare(): string {
  const found = UNSHARE.find((file) => existsSync(file));
  if (found === undefined) throw new NoWalls("the program unshare of util-linux is not there");
  return found;
}

function mapEverybody(pid: number): void {
  for (const map of ["gid_map", "uid_map"]) writeFileSync(`/proc/${pid}/${map}`, EVERYBODY);
}

/** The first of what it says on its error output, for the reason where it does not start. */
function collect(child: ChildProcess): () => string {
  let said = "";
  child.stderr?.on("data", (piece: Buffer) => {
    if (said.length < 4_096) said += piece.toString();
  });
  (child.stderr as Socket | null)?.unref();
  return () => said;
}
