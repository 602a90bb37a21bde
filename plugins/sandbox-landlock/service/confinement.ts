import type { Hearing, Outcome } from "./asked.ts";
import type { ConfinedProcess } from "./confined-process.ts";
import { Confiner, type ConfinementOptions, startFirst, startOpen } from "./confiner.ts";
import { NoWalls } from "./launch.ts";
import type { Built, Only, Request } from "../messages.ts";
import { Pool } from "./pool.ts";
import { Searcher } from "./searcher.ts";
import type { LeftRun } from "./run-notes.ts";
import { Supervisor } from "../supervisor/supervisor-thread.ts";
import type { Added } from "../supervisor/supervisor.ts";

/** What holds here. */
export interface Layers extends Built, Added {
  /** Why there are no namespaces; undefined where there are. */
  readonly noNamespaces: string | undefined;
}

interface Parts {
  /** Starts another process. */
  start(only?: Only): Promise<ConfinedProcess>;
  readonly first?: ConfinedProcess;
  /** The proxy's port for the supervisor, and how many runs there are. */
  readonly proxy: Int32Array;
  readonly running: Int32Array;
  readonly supervisor?: Supervisor;
  readonly layers?: Layers;
}

/** Confined processes behind one set of walls, with the supervisor of all of them; lives until it is closed. */
export class Confinement {
  /** Undefined: no walls. */
  readonly layers: Layers | undefined;
  readonly #pool: Pool;
  readonly #searcher: Searcher;
  readonly #startLooking: () => Promise<ConfinedProcess>;
  readonly #supervisor: Supervisor | undefined;
  readonly #proxy: Int32Array;
  /** The first process, until the pool takes it. */
  readonly #unused: ConfinedProcess[];
  readonly #looking = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  private constructor(
    { runs }: ConfinementOptions,
    { start, first, proxy, running, supervisor, layers }: Parts,
  ) {
    this.layers = layers;
    this.#unused = first ? [first] : [];
    this.#pool = new Pool(async () => this.#unused.pop() ?? start(), running, runs);
    this.#searcher = new Searcher(() => start("search"), runs);
    this.#startLooking = () => start("look");
    this.#proxy = proxy;
    this.#supervisor = supervisor;
  }

  /** Throws NoWalls where they were asked for and cannot be built. */
  static async start(options: ConfinementOptions): Promise<Confinement> {
    const [proxy, running] = [shared(), shared()];
    const { base, walls, bounds } = options;
    if (!walls || !bounds)
      return new Confinement(options, { start: (only) => startOpen(options, only), proxy, running });
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
      const layers = { ...built, noNamespaces };
      const start = (only?: Only): Promise<ConfinedProcess> => confine.next(only);
      return new Confinement(options, { start, first, proxy, running, supervisor: await supervisor, layers });
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
    return this.#pool.request(request, signal, hearing);
  }

  /** As `Searcher.search`. */
  search(request: Extract<Request, { do: "search" }>, signal: AbortSignal): Promise<Outcome<"search">> {
    return this.#searcher.search(request, signal);
  }

  /** Undoes what a lost run did to guarded files; a phrase for each. Throws ConfinedFault. */
  async lookAfter(run: LeftRun): Promise<readonly string[]> {
    const looking = this.#lookAfter(run);
    this.#looking.add(looking);
    try {
      return await looking;
    } finally {
      this.#looking.delete(looking);
    }
  }

  async #lookAfter({ before, began }: LeftRun): Promise<readonly string[]> {
    const { signal } = this.#ending;
    signal.throwIfAborted();
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
    this.#ending.abort(new Error("the sandbox is closed"));
    const unused = this.#unused.splice(0).map((confined) => confined.close());
    await Promise.allSettled([this.#pool.close(), this.#searcher.close(), ...this.#looking, ...unused]);
    await this.#supervisor?.stop();
  }
}

const shared = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
