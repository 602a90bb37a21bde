import { Channels, type PromptOptions, type TurnEnded, type TurnEvent, type TurnFacts } from "@gantry/sdk";
import { EventQueue, type Decider, type RunningTurn } from "@gantry/sdk/fill";
import type { Registry } from "../plugins/registry.ts";

interface Running {
  readonly session: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly began: number;
  facts: Omit<RunningTurn, "began"> | undefined;
}

type Ending = Pick<TurnEnded, "stop" | "code">;

type Told = Pick<PromptOptions, "onEvent" | "approvals">;

/** The turns that run in this process, and who watches them. */
export class RunningTurns {
  readonly #registry: Registry;
  readonly #running = new Set<Running>();
  readonly #watchers = new Map<string, Set<(event: TurnEvent) => void>>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Runs a turn or call that can be stopped; `work` is told how to say which it is, and `endOf` says how it ended. */
  async run<T>(
    session: string,
    work: (stop: AbortSignal, is: (facts: Running["facts"]) => void) => Promise<T>,
    endOf: (done: T) => Ending,
  ): Promise<T> {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    const running: Running = { session, stop, ended, began: Date.now(), facts: undefined };
    this.#running.add(running);
    let ending: Ending = { stop: "Error" };
    try {
      const done = await work(stop.signal, (facts) => (running.facts = facts));
      ending = endOf(done);
      return done;
    } catch (error) {
      ending = { stop: "Error", code: (error as { code?: string }).code ?? "INTERNAL" };
      throw error;
    } finally {
      this.#running.delete(running);
      const stopped = stop.signal.aborted && ({ stopped: true } as const);
      const turn = running.facts?.turn;
      this.#tell(session, { type: "turn_ended", ...(turn && { turn }), ...ending, ...stopped });
      resolve();
    }
  }

  isRunning(session: string): boolean {
    return this.#of(session).length > 0;
  }

  /** Ends and awaits what runs in a session or within it; `how` is the signals' reason. False for none. */
  async end(session: string, how: "keep" | "forget"): Promise<boolean> {
    // A turn within another may outlive it.
    const within = [...this.#running].filter(({ facts }) => facts?.within === session);
    const all = [...this.#of(session), ...within];
    for (const { stop } of all) stop.abort(how);
    await Promise.all(all.map(({ ended }) => ended));
    return all.length > 0;
  }

  running(by: Decider): readonly RunningTurn[] {
    return [...this.#running].flatMap(({ facts, began }) =>
      facts && this.#maySee(facts, by) ? [Object.freeze({ ...facts, began })] : [],
    );
  }

  async stop(session: string, by: Decider): Promise<boolean> {
    const isSeen = this.#of(session).some(({ facts }) => facts && this.#maySee(facts, by));
    return isSeen && this.end(session, "keep");
  }

  #of(session: string): readonly Running[] {
    return [...this.#running].filter((one) => one.session === session);
  }

  #tell(session: string, event: TurnEvent): void {
    for (const watcher of this.#watchers.get(session) ?? []) watcher(event);
  }

  async *watch(session: string, signal: AbortSignal): AsyncGenerator<TurnEvent, void> {
    const queue = new EventQueue<TurnEvent>();
    const put = (event: TurnEvent): void => void queue.put(event);
    const over = (): void => queue.end();
    const watchers = this.#watchers.get(session) ?? new Set();
    this.#watchers.set(session, watchers.add(put));
    signal.addEventListener("abort", over, { once: true });
    if (signal.aborted) over();
    try {
      yield* queue.read();
    } finally {
      signal.removeEventListener("abort", over);
      watchers.delete(put);
      if (watchers.size === 0) this.#watchers.delete(session);
    }
  }

  /**
   * Returns a way to be told for a turn, which its watchers share from the moment they watch. A watcher decides nothing: where
   * the turn has nobody of its own to ask, it asks nobody.
   */
  told<T extends Told>(session: string, own: T): T {
    const watchers = this.#watchers;
    const shared = (event: TurnEvent): void => {
      own.onEvent?.(event);
      this.#tell(session, event);
    };
    return {
      ...own,
      get onEvent() {
        return watchers.has(session) ? shared : own.onEvent;
      },
      approvals: own.approvals === "ask" && !own.onEvent ? "none" : own.approvals,
    };
  }

  #maySee({ user, session }: TurnFacts, by: Decider): boolean {
    const isChannel = this.#registry.get(Channels)?.has(user.split(":", 1)[0] as string) === true;
    if (isChannel && by.conversation === session && by.trust === "owner") return true;
    return by.user === user && (!isChannel || by.conversation === session);
  }
}
