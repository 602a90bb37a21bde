import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomUUID } from "node:crypto";
import {
  counted,
  directMessage,
  textParts,
  type Agents,
  type Inbox,
  type Logger,
  type Outbox,
  type ToolCatalog,
  type ToolRun,
} from "@gantry/sdk";
import { asError, nearest } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import type { KeptTasks } from "./kept-tasks.ts";
import { cutText, type Task } from "./task.ts";

const system =
  "You were handed one task by another assistant. Do it with the tools you have and answer with the result alone.";
const mostShown = 80;

/** The arguments of `delegate`. */
export interface TaskArgs {
  readonly task: string;
  readonly agent?: string;
  readonly tools?: readonly string[];
  readonly background?: boolean;
}

export interface DelegationDeps {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly catalog: ToolCatalog;
  readonly agents: Agents | undefined;
  /** Undefined if nothing is kept. */
  readonly tasks: KeptTasks | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly budget: number;
  readonly mostMs: number;
  readonly atOnce: number;
}

interface Ended {
  readonly text: string;
  readonly failed: boolean;
}

/** True if a task runs around whatever asks. */
const handedOn = new AsyncLocalStorage<true>();

/** Hands tasks on, each as a turn within the turn that asks, for the same person. */
export class Delegation {
  readonly #deps: DelegationDeps;
  /** Conversations in which a turn runs. */
  readonly #running = new Set<string>();
  /** Things to tell a chat once its turn has ended, by conversation. */
  readonly #untold = new Map<string, (() => Promise<void>)[]>();
  /** The number of times that each turn has asked for the same. */
  readonly #asked = new Map<string, number>();

  constructor(deps: DelegationDeps) {
    this.#deps = deps;
  }

  /** Works on a task and returns its result, which is on disk then. Throws DELEGATE_*. */
  async atOnce(run: ToolRun<TaskArgs>): Promise<Ended> {
    const { tasks } = this.#deps;
    await this.#check(run.args);
    if (!tasks) return this.#turn(run, "ask");
    const { session } = run;
    const key = this.#keyOf(run);
    const earlier = (await tasks.of(session)).find((task) => task.key === key);
    if (earlier?.text !== undefined && earlier.state === "done")
      return { text: `${earlier.text}\n(It was done before this turn was begun again.)`, failed: false };
    const task = await tasks.begin(session, { ...this.#facts(run), key, isBackground: false });
    const { text, failed } = await this.#kept(session, task, () => this.#turn(run, "ask"));
    return { text: earlier ? `${text}\n(It was begun before. ${cutText})` : text, failed };
  }

  /** Begins a task in the background; returns how to come by its result. Throws DELEGATE_*. */
  async later(run: ToolRun<TaskArgs>): Promise<string> {
    const { tasks, atOnce } = this.#deps;
    if (!tasks) throw errors.DELEGATE_NO_STORE();
    if (handedOn.getStore()) throw errors.DELEGATE_NESTED();
    await this.#check(run.args);
    const { session } = run;
    const live = (await tasks.of(session)).filter((task) => task.isBackground && tasks.isLive(task));
    if (live.length >= atOnce) throw errors.DELEGATE_BUSY(live.length);
    const task = await tasks.begin(session, { ...this.#facts(run), key: randomUUID(), isBackground: true });
    // Nobody waits for it: in the background nobody is asked either.
    const work = this.#kept(session, task, () => this.#turn(run, "none"));
    void work
      .then(() => this.#tellLater(run, task))
      .catch((error: unknown) =>
        this.#deps.log.warn({ lane: session, err: asError(error) }, "A task in the background was lost."),
      );
    return `Task ${task.id} is being worked on. delegate_result gives its result once it has ended.`;
  }

  async #check({ agent, tools = [] }: TaskArgs): Promise<void> {
    const names = (this.#deps.agents?.list() ?? []).map(({ name }) => name);
    if (agent !== undefined && !names.includes(agent))
      throw errors.DELEGATE_NO_AGENT(agent, hint(agent, names));
    const had = tools.length === 0 ? [] : (await this.#deps.catalog.list()).map(({ name }) => name);
    const missing = tools.find((name) => !had.includes(name));
    if (missing !== undefined) throw errors.DELEGATE_NO_TOOL(missing, hint(missing, had));
  }

  /** Never throws: a turn that could not begin has failed. */
  async #turn(run: ToolRun<TaskArgs>, approvals: "ask" | "none"): Promise<Ended> {
    const { inbox, signal, budget, mostMs } = this.#deps;
    const { task, agent, tools } = run.args;
    const message = directMessage({ channel: "task", id: randomUUID(), from: run.session, text: task });
    const options = {
      keep: false,
      system,
      approvals,
      budget: { tokens: budget },
      signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
      ...(agent !== undefined && { agent }),
      ...(tools && { tools }),
    } as const;
    try {
      const {
        reply,
        error,
        tool_calls: calls,
      } = await handedOn.run(true, () => inbox.prompt(message, options));
      const text = error ? `${reply}\n${error.message}`.trim() : reply;
      return { text: `${text}\n(${counted(calls.length, "tool call")})`, failed: error !== undefined };
    } catch (error) {
      return { text: asError(error).message, failed: true };
    }
  }

  /** Does the work and keeps what it comes to before anybody is told. */
  async #kept(session: string, task: Task, work: () => Promise<Ended>): Promise<Ended> {
    const ended = await work();
    await this.#deps.tasks?.end(session, task, ended.failed ? "failed" : "done", ended.text);
    return ended;
  }

  turnStarted(session: string): void {
    this.#running.add(session);
  }

  /** Tells the chat what has ended while its turn ran and is not told yet. */
  async turnEnded(session: string): Promise<void> {
    this.#running.delete(session);
    const untold = this.#untold.get(session) ?? [];
    this.#untold.delete(session);
    for (const tell of untold) await tell();
  }

  /** A turn that runs may still read the result by itself. */
  async #tellLater(run: ToolRun<TaskArgs>, task: Task): Promise<void> {
    const { session } = run;
    const tell = (): Promise<void> => this.#tell(run, task);
    if (!this.#running.has(session)) return tell();
    this.#untold.set(session, [...(this.#untold.get(session) ?? []), tell]);
  }

  /** Tells the chat that the task came from that it has ended. */
  async #tell({ origin, session }: ToolRun<TaskArgs>, { id, shown, key }: Task): Promise<void> {
    if (!origin || this.#deps.signal.aborted) return;
    const [task] = ((await this.#deps.tasks?.of(session)) ?? []).filter((one) => one.key === key);
    if (!task || task.isTold === true) return;
    const parts = textParts(`Task ${id} has ended: ${shown}. Ask me for its result.`);
    await this.#deps.outbox.send({ ...origin, parts, key: `task-${key}` });
  }

  #facts({ args: { task }, agent }: ToolRun<TaskArgs>) {
    const line = task.replaceAll(/\s+/g, " ");
    const shown = line.length > mostShown ? `${line.slice(0, mostShown)}…` : line;
    return { shown, by: agent };
  }

  /** The same task of the same message has the same key in every process that tries the message. */
  #keyOf({ args, message = randomUUID(), trace = randomUUID() }: ToolRun<TaskArgs>): string {
    const asked = JSON.stringify([message, args]);
    const digest = createHash("sha256").update(asked).digest("hex").slice(0, 32);
    const counter = `${trace}/${digest}`;
    const nth = (this.#asked.get(counter) ?? 0) + 1;
    if (this.#asked.size > 1_000) this.#asked.clear();
    this.#asked.set(counter, nth);
    return `${digest}/${nth}`;
  }
}

function hint(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  if (meant !== undefined) return ` (did you mean \`${meant}\`?)`;
  return names.length === 0 ? "" : ` (there are ${names.join(", ")})`;
}
