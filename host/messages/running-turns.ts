import { Channels, type PromptOptions, type TurnEvent, type TurnFacts } from "@gantry/sdk";
import { EventQueue, type Decider, type RunningTurn } from "@gantry/sdk/fill";
import type { Registry } from "../plugins/registry.ts";

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly began: number;
  facts: TurnFacts | undefined;
}

type Told = Pick<PromptOptions, "onEvent" | "approvals">;

/** The turns that run in this process, and who watches them. */
export class RunningTurns {
  readonly #registry: Registry;
  readonly #running = new Map<string, Running>();
  readonly #watchers = new Map<string, Set<(event: TurnEvent) => void>>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Runs a turn that can be stopped; `work` is told how to say which turn it is. */
  async run<T>(session: string, work: (stop: AbortSignal, is: (facts: TurnFacts) => void) => Promise<T>) {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const running: Running = { stop: new AbortController(), ended, began: Date.now(), facts: undefined };
    this.#running.set(session, running);
    try {
      return await work(running.stop.signal, (facts) => (running.facts = facts));
    } finally {
      if (this.#running.get(session) === running) this.#running.delete(session);
      end();
    }
  }

  isRunning(session: string): boolean {
    return this.#running.has(session);
  }

  /**
   * Ends the turn that runs and those within it, and waits for their end; `how` is the reason of
   * their signals. False if none runs.
   */
  async end(session: string, how: "keep" | "forget"): Promise<boolean> {
    // A turn within another may outlive it.
    const all = [...this.#running].filter(([id, { facts }]) => id === session || facts?.within === session);
    for (const [, { stop }] of all) stop.abort(how);
    await Promise.all(all.map(([, { ended }]) => ended));
    return all.length > 0;
  }

  running(by: Decider): readonly RunningTurn[] {
    const all = [...this.#running.values()];
    return all.flatMap(({ facts, began }) =>
      facts && this.#maySee(facts, by) ? [Object.freeze({ ...facts, began })] : [],
    );
  }

  async stop(session: string, by: Decider): Promise<boolean> {
    const facts = this.#running.get(session)?.facts;
    return facts !== undefined && this.#maySee(facts, by) && this.end(session, "keep");
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
      for (const watcher of watchers.get(session) ?? []) watcher(event);
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
