import { randomUUID } from "node:crypto";
import type { Values } from "@gantry/sdk";
import type { NewTask, Task } from "./task.ts";

/** Goes with its conversation when a person is erased. */
const space = "session-tasks";
/** Nobody asks for a result so much later. */
const keptMs = 7 * 86_400_000;
const mostKept = 20;
const mostText = 64_000;

/** The tasks of conversations, on disk before anybody is told of them. */
export class KeptTasks {
  readonly #values: Values;
  readonly #process = randomUUID();
  /** The tasks that this process works on, by conversation and number. */
  readonly #live = new Map<string, PromiseWithResolvers<void>>();
  #changing: Promise<unknown> = Promise.resolve();

  constructor(values: Values) {
    this.#values = values;
  }

  /** Returns the tasks of a conversation, the oldest first. */
  async of(session: string): Promise<readonly Task[]> {
    return (await this.#values.get<readonly Task[]>(space, session)) ?? [];
  }

  /** True while this process works on a task. */
  isLive({ state, process }: Task): boolean {
    return state === "running" && process === this.#process;
  }

  /** Keeps a task as begun, in place of an earlier one with its key; returns it. */
  async begin(session: string, begun: NewTask): Promise<Task> {
    const task = await this.#change(session, (tasks) => {
      const earlier = tasks.find(({ key }) => key === begun.key);
      const id = earlier?.id ?? Math.max(0, ...tasks.map((task) => task.id)) + 1;
      const task: Task = { ...begun, id, state: "running", process: this.#process };
      return [[...tasks.filter(({ key }) => key !== begun.key), task], task];
    });
    this.#live.set(nameOf(session, task), Promise.withResolvers<void>());
    return task;
  }

  /** Keeps the result of a task. */
  async end(session: string, task: Task, state: "done" | "failed", text: string): Promise<void> {
    try {
      await this.#mend(session, task.id, { state, text: text.slice(0, mostText) });
    } finally {
      this.#live.get(nameOf(session, task))?.resolve();
      this.#live.delete(nameOf(session, task));
    }
  }

  /**
   * Resolves once a task that this process works on has ended; throws if the signal comes first.
   */
  async ended(session: string, task: Task, signal: AbortSignal): Promise<void> {
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await Promise.race([this.#live.get(nameOf(session, task))?.promise, left]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Notes that a conversation has been given the result of a task. */
  async told(session: string, { id }: Task): Promise<void> {
    await this.#mend(session, id, { isTold: true });
  }

  /** Forgets the tasks of a conversation. */
  async forget(session: string): Promise<void> {
    await this.#values.remove(space, session);
  }

  #mend(session: string, id: number, more: Partial<Task>): Promise<void> {
    return this.#change(session, (tasks) => [
      tasks.map((task) => (task.id === id ? { ...task, ...more } : task)),
      undefined,
    ]);
  }

  /** One change after another, so that tasks beside each other undo nothing of each other. */
  #change<T>(session: string, change: (tasks: readonly Task[]) => [readonly Task[], T]): Promise<T> {
    const changed = this.#changing.then(async () => {
      const [tasks, result] = change(await this.of(session));
      const running = tasks.filter((task) => this.isLive(task));
      const rest = tasks.filter((task) => !this.isLive(task)).slice(-mostKept);
      const kept = [...rest, ...running].toSorted((a, b) => a.id - b.id);
      await this.#values.put(space, session, kept, { forMs: keptMs });
      return result;
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }
}

function nameOf(session: string, { id }: Task): string {
  return `${session} ${id}`;
}
