import { ConfinedProcess, type Hearing, type Outcome } from "./confined-process.ts";
import { type Holder, NoWalls, hasNamespaces } from "./launch.ts";
import type { Built, ConfinedFacts, Only, Request, WallFacts } from "../messages.ts";
import { ownerGit } from "./owner-git.ts";
import { Pool } from "./pool.ts";
import type { LeftRun } from "./run-notes.ts";
import type { WorkspaceRuns } from "./workspace-runs.ts";
import { Supervisor } from "../supervisor/supervisor-thread.ts";
import type { Added, Bounds } from "../supervisor/supervisor.ts";

type Walls = Omit<WallFacts, "island">;

export interface ConfinementOptions extends Pick<
  ConfinedFacts,
  "workspace" | "secret" | "guarded" | "mostFolders" | "diskMb" | "workspaceMb" | "prefix"
> {
  /** The address of the file beside which the entries stand. */
  readonly base: string;
  /** All runs of this service in the workspace. */
  readonly runs: WorkspaceRuns;
  /** Undefined: processes without walls. */
  readonly walls?: Walls;
  /** What the supervisor holds them to; undefined without walls. */
  readonly bounds?: Bounds;
  /** False: none are tried, as where the system refuses them. */
  readonly namespaces?: boolean;
  /** How long a process may take to start. */
  readonly startMs?: number;
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

/** Confined processes behind one set of walls, with the supervisor of all of them; lives until it is closed. */
export class Confinement {
  /** Undefined: no walls. */
  readonly layers: Layers | undefined;
  readonly #pool: Pool;
  /** What searches files, since a pattern and a line can be chosen so that looking takes minutes: it is ended then. */
  readonly #searches: Pool;
  readonly #startLooking: () => Promise<ConfinedProcess>;
  readonly #supervisor: Supervisor | undefined;
  readonly #proxy: Int32Array;
  #closing: Promise<void> | undefined;

  private constructor(
    pool: Pool,
    { runs }: ConfinementOptions,
    startOnly: (only: Only) => Promise<ConfinedProcess>,
    proxy: Int32Array,
    supervisor?: Supervisor,
    layers?: Layers,
  ) {
    this.layers = layers;
    this.#pool = pool;
    this.#searches = new Pool({ start: () => startOnly("search"), inWorkspace: runs, ...SEARCHES });
    this.#startLooking = () => startOnly("look");
    this.#proxy = proxy;
    this.#supervisor = supervisor;
  }

  /** Throws NoWalls where they were asked for and cannot be built. */
  static async start(options: ConfinementOptions): Promise<Confinement> {
    const [proxy, running] = [shared(), shared()];
    const { base, walls, bounds, runs } = options;
    if (!walls || !bounds) {
      const pool = new Pool({ start: () => startOpen(options), inWorkspace: runs, most: MOST_RUNS, running });
      return new Confinement(pool, options, (only) => startOpen(options, only), proxy);
    }
    if (process.platform !== "linux") throw new NoWalls("this system is not Linux");
    const supervisor = Supervisor.start(base, { write: walls.write, bounds, proxy, running });
    supervisor.catch(() => undefined);
    const [first, holder, noNamespaces] = await startFirst(options, walls).catch(async (error: unknown) => {
      await (await supervisor).stop();
      throw error;
    });
    const confine = new Confiner(options, walls, await supervisor, holder);
    try {
      const built = await confine.one(first);
      const firsts = [first];
      const next = async (): Promise<ConfinedProcess> => firsts.pop() ?? (await confine.next());
      const pool = new Pool({ start: next, inWorkspace: runs, most: MOST_RUNS, running });
      const only = (what: Only): Promise<ConfinedProcess> => confine.next(what);
      return new Confinement(pool, options, only, proxy, await supervisor, { ...built, noNamespaces });
    } catch (error) {
      await first.close();
      await (await supervisor).stop();
      throw error;
    }
  }

  /** Lets started processes connect to this port of loopback, where the walls have a gate for it. */
  openProxy(port: number): void {
    Atomics.store(this.#proxy, 0, port);
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
  async lookAfter({ before, began }: LeftRun): Promise<readonly string[]> {
    const { signal } = new AbortController();
    const confined = await this.#startLooking();
    try {
      // What is left of it might go on meanwhile.
      await this.#supervisor?.settled();
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
    await Promise.all([this.#pool.close(), this.#searches.close()]);
    await this.#supervisor?.stop();
  }
}

/** Puts one process after another behind the same walls. */
class Confiner {
  readonly #options: ConfinementOptions;
  readonly #walls: Walls;
  readonly #supervisor: Supervisor;
  readonly #holder: Holder;

  constructor(options: ConfinementOptions, walls: Walls, supervisor: Supervisor, holder: Holder) {
    this.#options = options;
    this.#walls = walls;
    this.#supervisor = supervisor;
    this.#holder = holder;
  }

  async next(only?: Only): Promise<ConfinedProcess> {
    const confined = await ConfinedProcess.start(this.#holder, { ...this.#options, only });
    try {
      await this.one(confined, only);
      return confined;
    } catch (error) {
      await confined.close();
      throw error;
    }
  }

  async one(confined: ConfinedProcess, only?: Only): Promise<Built & Added> {
    const { read, write } = this.#walls;
    const namespaces = hasNamespaces(this.#holder);
    // Without namespaces nothing else would end what goes on starting processes after the service was killed: once nobody
    // answers, the kernel refuses.
    const starts = this.#walls.starts || !namespaces;
    const walls = { ...this.#walls, starts, island: this.#holder === "island" };
    const temporary = namespaces ? undefined : confined.makeTemporary([...read, ...write]);
    const built = await confined.confine(factsOf(this.#options, { walls, namespaces, only, temporary }));
    const { listener, secret } = built;
    this.#options.runs.remember(confined, secret);
    const own = temporary === undefined ? [] : [temporary];
    const masked = namespaces && { masked: { root: this.#options.workspace, files: secret } };
    const added = await this.#supervisor.add({ pid: confined.pid, listener, write: own, ...masked });
    if (!added) throw new Error("the confined process ended");
    confined.go();
    return { ...built, ...added };
  }
}

/** The best that the system allows. An island is none where there is a way out. */
async function startFirst(
  options: ConfinementOptions,
  { tcp }: Walls,
): Promise<readonly [first: ConfinedProcess, holder: Holder, noNamespaces: string | undefined]> {
  const wanted: readonly Holder[] =
    options.namespaces === false ? [] : tcp ? ["namespace"] : ["island", "namespace"];
  let refused = NOT_WANTED;
  for (const holder of wanted) {
    try {
      return [await ConfinedProcess.start(holder, options), holder, undefined];
    } catch (error) {
      if (!(error instanceof NoWalls)) throw error;
      refused = error.message;
    }
  }
  return [await ConfinedProcess.start("keeper", options), "keeper", refused];
}

async function startOpen(options: ConfinementOptions, only?: Only): Promise<ConfinedProcess> {
  const confined = await ConfinedProcess.start("itself", { ...options, only });
  const temporary = confined.makeTemporary([options.workspace]);
  confined.tell(factsOf(options, { walls: undefined, namespaces: false, only, temporary }));
  return confined;
}

function factsOf(
  { workspace, secret, guarded, mostFolders, diskMb, workspaceMb, prefix }: ConfinementOptions,
  own: Pick<ConfinedFacts, "walls" | "namespaces" | "only" | "temporary">,
): ConfinedFacts {
  const bounds = { mostFolders, diskMb, workspaceMb };
  return { ...own, ...bounds, prefix, workspace, secret, guarded, ownerGit: ownerGit() };
}

const shared = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
