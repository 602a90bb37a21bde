import { ConfinedProcess, type Hearing, type Outcome } from "./confined-process.ts";
import { type Holder, NoWalls, hasNamespaces } from "./launch.ts";
import type { Built, ConfinedFacts, Only, Request, WallFacts } from "../messages.ts";
import { ownerGit } from "./owner-git.ts";
import { Pool } from "./pool.ts";
import type { LeftRun } from "./run-notes.ts";
import type { WorkspaceRuns } from "./workspace-runs.ts";
import { Supervisor } from "../supervisor/supervisor-thread.ts";
import type { Added, Bounds } from "../supervisor/supervisor.ts";

type Walls = Omit<WallFacts, "island" | "abiCap">;

export interface ConfinementOptions extends Pick<
  ConfinedFacts,
  "workspace" | "secret" | "guarded" | "mostFolders" | "diskMb" | "workspaceMb"
> {
  /** The address of the file beside which the entries stand. */
  readonly base: string;
  /** All runs of this service in the workspace. */
  readonly runs: WorkspaceRuns;
  /** Undefined: processes without walls. */
  readonly walls?: Walls;
  /** What the supervisor holds them to; undefined without walls. */
  readonly bounds?: Bounds;
  /** Landlock levels above it are not used. */
  readonly abiCap?: number | undefined;
  /** False: none are tried, as where the system refuses them. */
  readonly namespaces?: boolean;
  /** How long a process may take to start. */
  readonly startMs?: number;
  /** Words that stand before every program; undefined: none. */
  readonly prefix?: readonly string[];
  /** How many pipes each process has for what it runs. */
  readonly pipes?: number;
}

/** What holds here. */
export interface Layers extends Built, Added {
  /** Why there are no namespaces; undefined where there are. */
  readonly noNamespaces: string | undefined;
}

/** How many runs there are at a time. */
const MOST_RUNS = 32;
/** One search follows another, so that memory is bounded; a process is replaced well before the kernel ends it for its time. */
const SEARCHES = { most: 1, mostMs: 15_000 };
const NOT_WANTED = "they are switched off";

interface Parts {
  readonly start: (only?: Only) => Promise<ConfinedProcess>;
  /** What was started to see whether the walls stand, until it is taken. */
  readonly ready?: readonly ConfinedProcess[];
  readonly proxy: Int32Array;
  readonly running: Int32Array;
  readonly supervisor?: Supervisor;
  readonly layers?: Layers;
}

/** Confined processes behind one set of walls, with the supervisor of all of them; lives until it is closed. */
export class Confinement {
  /** Undefined: no walls. */
  readonly layers: Layers | undefined;
  readonly #parts: Parts;
  readonly #pool: Pool;
  /** What searches files, since a pattern and a line can be chosen so that looking takes minutes: it is ended then. */
  readonly #searches: Pool;
  #looking: Promise<unknown> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(inWorkspace: WorkspaceRuns, parts: Parts) {
    const { start, running } = parts;
    this.layers = parts.layers;
    this.#parts = parts;
    this.#pool = new Pool({ start: () => start(), inWorkspace, most: MOST_RUNS, running });
    this.#searches = new Pool({ start: () => start("search"), inWorkspace, ...SEARCHES });
  }

  /** Throws NoWalls where they were asked for and cannot be built. */
  static async start(options: ConfinementOptions): Promise<Confinement> {
    const [proxy, running] = [shared(), shared()];
    const { base, walls, bounds, runs } = options;
    if (!walls || !bounds)
      return new Confinement(runs, { start: (only) => startOpen(options, only), proxy, running });
    if (process.platform !== "linux") throw new NoWalls("this system is not Linux");
    const supervisor = Supervisor.start(base, { write: walls.write, bounds, proxy, running });
    supervisor.catch(() => undefined);
    let first: ConfinedProcess | undefined;
    try {
      const { holder, noNamespaces, ...started } = await startFirst(options, walls);
      first = started.first;
      const behind = { options, walls, supervisor: await supervisor, holder };
      const layers = { ...(await confine(behind, first)), noNamespaces };
      const ready = [first];
      const start = async (only?: Only): Promise<ConfinedProcess> =>
        (only === undefined && ready.pop()) || startBehind(behind, only);
      return new Confinement(runs, { start, ready, proxy, running, supervisor: behind.supervisor, layers });
    } catch (error) {
      await first?.close();
      await (await supervisor).stop();
      throw error;
    }
  }

  /** Lets started processes connect to this port of loopback, where the walls have a gate for it. */
  openProxy(port: number): void {
    Atomics.store(this.#parts.proxy, 0, port);
  }

  /** Throws ConfinedFault, and the signal's reason where it is aborted. */
  request<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
    hearing?: Hearing,
  ): Promise<Outcome<K>> {
    return (request.do === "search" ? this.#searches : this.#pool).request(request, signal, hearing);
  }

  /** Undoes what a lost run did to guarded files; a phrase for each. Throws ConfinedFault. */
  lookAfter(run: LeftRun): Promise<readonly string[]> {
    const looking = this.#lookAfter(run);
    this.#looking = looking;
    return looking;
  }

  async #lookAfter({ before, began }: LeftRun): Promise<readonly string[]> {
    if (this.#closing) throw new Error("the sandbox is closed");
    const { signal } = new AbortController();
    const confined = await this.#parts.start("look");
    try {
      // What is left of it might go on meanwhile.
      await this.#parts.supervisor?.settled();
      const { value } = await confined.request<"look">({ do: "look", before, began }, signal);
      return value.findings;
    } finally {
      await confined.close();
    }
  }

  /** Withholds what changed since then. Throws ConfinedFault. */
  decide(since: number): Promise<unknown> {
    return this.#pool.decide(since);
  }

  /** Ends every process and the supervisor. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const looked = this.#looking?.catch(() => undefined);
    await Promise.all([this.#pool.close(), this.#searches.close(), looked]);
    for (const process of this.#parts.ready ?? []) await process.close();
    await this.#parts.supervisor?.stop();
  }
}

/** What processes are put behind, one after another. */
interface Behind {
  readonly options: ConfinementOptions;
  readonly walls: Walls;
  readonly supervisor: Supervisor;
  readonly holder: Holder;
}

async function startBehind(behind: Behind, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start(behind.holder, { ...behind.options, only });
  try {
    await confine(behind, confined, only);
    return confined;
  } catch (error) {
    await confined.close();
    throw error;
  }
}

async function confine(
  { options, supervisor, holder, ...behind }: Behind,
  confined: ConfinedProcess,
  only?: Only,
): Promise<Built & Added> {
  const namespaces = hasNamespaces(holder);
  // Without namespaces nothing else would end what goes on starting processes after the service was killed: once nobody
  // answers, the kernel refuses.
  const starts = behind.walls.starts || !namespaces;
  const walls = { ...behind.walls, starts, island: holder === "island", abiCap: options.abiCap };
  const temporary = namespaces ? undefined : confined.makeTemporary([...walls.read, ...walls.write]);
  const built = await confined.confine(factsOf(options, { walls, namespaces, only, temporary }));
  const { listener, secret } = built;
  options.runs.remember(confined, secret);
  const write = temporary === undefined ? [] : [temporary];
  const masked = namespaces && { masked: { root: options.workspace, files: secret } };
  const added = await supervisor.add({ pid: confined.pid, listener, write, ...masked });
  if (!added) throw new Error("the confined process ended");
  confined.go();
  return { ...built, ...added };
}

/** The best that the system allows. An island is none where there is a way out. */
async function startFirst(
  options: ConfinementOptions,
  { tcp }: Walls,
): Promise<Pick<Layers, "noNamespaces"> & { readonly first: ConfinedProcess; readonly holder: Holder }> {
  const wanted: readonly Holder[] =
    options.namespaces === false ? [] : tcp ? ["namespace"] : ["island", "namespace"];
  let refused = NOT_WANTED;
  for (const holder of wanted) {
    try {
      return { first: await ConfinedProcess.start(holder, options), holder, noNamespaces: undefined };
    } catch (error) {
      if (!(error instanceof NoWalls)) throw error;
      refused = error.message;
    }
  }
  const first = await ConfinedProcess.start("keeper", options);
  return { first, holder: "keeper", noNamespaces: refused };
}

async function startOpen(options: ConfinementOptions, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start("itself", { ...options, only });
  const temporary = confined.makeTemporary([options.workspace]);
  confined.tell(factsOf(options, { walls: undefined, namespaces: false, only, temporary }));
  return confined;
}

function factsOf(
  { workspace, secret, guarded, mostFolders, diskMb, workspaceMb, prefix = [] }: ConfinementOptions,
  own: Pick<ConfinedFacts, "walls" | "namespaces" | "only" | "temporary">,
): ConfinedFacts {
  const bounds = { mostFolders, diskMb, workspaceMb };
  return { ...own, ...bounds, prefix, workspace, secret, guarded, ownerGit: ownerGit() };
}

const shared = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
