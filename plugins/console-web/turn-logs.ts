import type { Inbox, InboundMessage, TurnResult } from "@gantry/sdk";
import { answerTree } from "./answer-tree.ts";
import { rightsNow, type Doors } from "../shared/rights-now.ts";
import { errors } from "./errors.ts";
import { TurnLog, type Step } from "./turn-log.ts";

/** The time for which a page that lost its connection can still read the end of a turn. */
const keptMs = 60_000;
/** The time after which a turn asks again whether its person may still write here. */
const askedMs = 15_000;
/** Turns of one person that run at a time. */
const mostRunning = 256;

interface Kept {
  readonly user: string;
  readonly session: string;
  readonly log: TurnLog;
  readonly began: number;
}

/** The turns that pages have begun. They go on if their page leaves. */
export class TurnLogs {
  readonly #inbox: Inbox;
  readonly #doors: Doors;
  readonly #stop = new AbortController();
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Set<Promise<void>>();

  constructor(inbox: Inbox, doors: Doors) {
    this.#inbox = inbox;
    this.#doors = doors;
  }

  /**
   * Begins a turn. Throws CONSOLE_TURN_RUNS if a turn that a page began runs in this session, and
   * CONSOLE_TURNS if too many of this person's turns run.
   */
  begin(session: string, user: string, message: InboundMessage, asked: Omit<Step, "type">): void {
    const open = [...this.#kept.values()].filter(({ log }) => !log.isOver);
    if (open.some((one) => one.session === session)) throw errors.CONSOLE_TURN_RUNS(session);
    if (open.filter((one) => one.user === user).length >= mostRunning)
      throw errors.CONSOLE_TURNS(mostRunning);
    const log = new TurnLog();
    const kept = { user, session, log, began: Date.now() };
    const key = keyOf(session, user);
    this.#kept.set(key, kept);
    log.add({ type: "asked", ...asked });
    const run = this.#run(user, message, log).finally(() => {
      this.#running.delete(run);
      const forget = (): void => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key);
      };
      setTimeout(forget, keptMs).unref();
    });
    this.#running.add(run);
  }

  /** Returns the log of a person's last turn in a session. */
  find(session: string, user: string): TurnLog | undefined {
    return this.#kept.get(keyOf(session, user))?.log;
  }

  /** Returns the sessions of a person in which a turn runs. */
  running(user: string): readonly { readonly session: string; readonly began: number }[] {
    return [...this.#kept.values()]
      .filter((kept) => kept.user === user && !kept.log.isOver)
      .map(({ session, began }) => ({ session, began }));
  }

  /** Waits for the turns that run, until `signal`; then they are cut. */
  async stop(signal: AbortSignal): Promise<void> {
    const cut = (): void => this.#stop.abort();
    if (signal.aborted) cut();
    else signal.addEventListener("abort", cut, { once: true });
    await Promise.all(this.#running);
  }

  async #run(user: string, message: InboundMessage, log: TurnLog): Promise<void> {
    const lost = new AbortController();
    const ask = (): void => void this.#ask(user, message, lost);
    const timer = setInterval(ask, askedMs).unref();
    try {
      const result = await this.#inbox.prompt(message, {
        signal: AbortSignal.any([this.#stop.signal, lost.signal]),
        approvals: "ask",
        onEvent: (event) => {
          if (event.type === "tool_call") ask();
          log.addEvent(event);
        },
      });
      log.end(await endOf(result));
    } catch (error) {
      const { code = "INTERNAL", message: text } = error as { code?: string; message: string };
      log.end({ type: "error", code, message: text });
    } finally {
      clearInterval(timer);
    }
  }

  /** Cuts a turn whose person has fewer rights than when it began. */
  async #ask(user: string, { caller }: InboundMessage, lost: AbortController): Promise<void> {
    const began = caller?.may.includes("decide") === false ? "member" : "owner";
    try {
      if ("lost" in (await rightsNow(this.#doors, user, began))) lost.abort();
    } catch {
      // A store that fails now is asked again.
    }
  }
}

/** A session is named by whoever begins it, so two people may name the same one. */
function keyOf(session: string, user: string): string {
  return `${user} ${session}`;
}

async function endOf({ error, reply, stop_reason, provider, model, usage }: TurnResult): Promise<Step> {
  if (error) return { type: "error", code: error.code, message: error.message };
  return { type: "done", stop_reason, provider, model, usage, tree: await answerTree(reply) };
}
