import type { Hearing, Outcome } from "./asked.ts";
import type { ConfinedProcess } from "./confined-process.ts";
import {
  type ConfinementOptions,
  type First,
  confine,
  startBehind,
  startFirst,
  startOpen,
} from "./confiner.ts";
import { NoWalls, hasNamespaces } from "./launch.ts";
import type { Built, Only, Request } from "../messages.ts";
import { Pool } from "./pool.ts";
import { Supervisor } from "../supervisor/supervisor-thread.ts";

/** The walls that hold here. */
export interface Layers extends Built, Pick<First, "noNamespaces"> {}

/** Most runs at a time. */
const MOST_RUNS = 32;
/**
 * One search follows another, so that memory is bounded; a process is replaced well before the
 * kernel ends it for its time.
 */
const SEARCHES = { most: 1, mostMs: 15_000 };

interface Parts {
  /** Starts another process. */
  start(only?: Only): Promise<ConfinedProcess>;
  readonly first?: ConfinedProcess;
  /** The proxy's port, for the supervisor. */
  readonly proxy: Int32Array;
  readonly supervisor?: Supervisor;
  readonly layers?: Layers;
}

/**
 * Confined processes behind one set of walls, with the supervisor of all of them; lives until it is
 * closed.
 */
export class Confinement {
  /** Undefined: no walls. */
  readonly layers: Layers | undefined;
  readonly #pool: Pool;
  /**
   * Processes that search files: a pattern and a line can be chosen so that matching takes minutes,
   * and then the process is ended.
   */
  readonly #searches: Pool;
  readonly #parts: Parts;
  /** The first process, until the pool takes it. */
  readonly #unused: ConfinedProcess[];
  #closing: Promise<void> | undefined;

  private constructor({ views }: ConfinementOptions, parts: Parts) {
    const { start, first, layers } = parts;
    this.layers = layers;
    this.#parts = parts;
    this.#unused = first ? [first] : [];
    const next = async (): Promise<ConfinedProcess> => this.#unused.pop() ?? start();
    this.#pool = new Pool({ start: next, most: MOST_RUNS, views });
    this.#searches = new Pool({ start: () => start("search"), ...SEARCHES });
  }

  /** Throws NoWalls if they were asked for and cannot be built. */
  static async start(options: ConfinementOptions): Promise<Confinement> {
    const proxy = new Int32Array(new SharedArrayBuffer(4));
    const { base, walls, limits } = options;
    if (!walls || !limits)
      return new Confinement(options, { start: (only) => startOpen(options, only), proxy });
    if (process.platform !== "linux") throw new NoWalls("this system is not Linux");
    const supervisor = Supervisor.start(base, { groups: limits.groups, proxy });
    supervisor.catch(() => undefined);
    let first: ConfinedProcess | undefined;
    try {
      const { holder, noNamespaces, ...started } = await startFirst(options, walls);
      first = started.first;
      const behind = { options, walls, supervisor: await supervisor, holder };
      const layers = { ...(await confine(behind, first)), noNamespaces };
      // If one process cannot mount a view, none can.
      const views = layers.noViews === undefined && hasNamespaces(holder) ? options.views : undefined;
      const all = { ...behind, options: { ...options, views } };
      const start = (only?: Only): Promise<ConfinedProcess> => startBehind(all, only);
      return new Confinement(all.options, {
        start,
        first,
        proxy,
        supervisor: await supervisor,
        layers,
      });
    } catch (error) {
      await first?.close();
      await (await supervisor).stop();
      throw error;
    }
  }

  /** Lets started processes connect to this port of loopback, if the walls have a gate for it. */
  openProxy(port: number): void {
    Atomics.store(this.#parts.proxy, 0, port);
  }

  /** Throws ConfinedFault, and the signal's reason if it is aborted. */
  request<K extends Request["do"]>(
    request: Extract<Request, { do: K }>,
    signal: AbortSignal,
    hearing?: Hearing,
  ): Promise<Outcome<K>> {
    return (request.do === "search" ? this.#searches : this.#pool).request(request, signal, hearing);
  }

  /** Ends every process and the supervisor. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const unused = this.#unused.splice(0).map((confined) => confined.close());
    await Promise.allSettled([this.#pool.close(), this.#searches.close(), ...unused]);
    await this.#parts.supervisor?.stop();
  }
}
