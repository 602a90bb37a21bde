import type { Inbox, InboundMessage, TurnResult } from "@gantry/sdk";
import { answerTree } from "./answer-tree.ts";
import { errors } from "./errors.ts";
import { TurnLog, type Step } from "./turn-log.ts";

/** The time for which a page that lost its connection can still read the end of a turn. */
const keptMs = 60_000;

interface Kept {
  readonly user: string;
  readonly log: TurnLog;
  readonly began: number;
}

/** The turns that pages have begun. They go on if their page leaves. */
export class TurnLogs {
  readonly #inbox: Inbox;
  readonly #stop = new AbortController();
  readonly #kept = new Map<string, Kept>();
  readonly #running = new Set<Promise<void>>();

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  /** Begins a turn. Throws CONSOLE_TURN_RUNS where one that a page began runs in this session. */
  begin(session: string, user: string, message: InboundMessage, asked: Omit<Step, "type">): void {
    if (this.#kept.get(session)?.log.isOver === false) throw errors.CONSOLE_TURN_RUNS(session);
    const log = new TurnLog();
    const kept = { user, log, began: Date.now() };
    this.#kept.set(session, kept);
    log.add({ type: "asked", ...asked });
    const run = this.#run(message, log).finally(() => {
      this.#running.delete(run);
      const forget = (): void => {
        if (this.#kept.get(session) === kept) this.#kept.delete(session);
      };
      setTimeout(forget, keptMs).unref();
    });
    this.#running.add(run);
  }

  /** Returns the log of a session's last turn, for the person who began it. */
  find(session: string, user: string): TurnLog | undefined {
    const kept = this.#kept.get(session);
    return kept?.user === user ? kept.log : undefined;
  }

  /** Returns the sessions of a person in which a turn runs. */
  running(user: string): readonly { readonly session: string; readonly began: number }[] {
    return [...this.#kept]
      .filter(([, kept]) => kept.user === user && !kept.log.isOver)
      .map(([session, { began }]) => ({ session, began }));
  }

  /** Waits for the turns that run, until `signal`; then they are cut. */
  async stop(signal: AbortSignal): Promise<void> {
    const cut = (): void => this.#stop.abort();
    if (signal.aborted) cut();
    else signal.addEventListener("abort", cut, { once: true });
    await Promise.all(this.#running);
  }

  async #run(message: InboundMessage, log: TurnLog): Promise<void> {
    try {
      const result = await this.#inbox.prompt(message, {
        signal: this.#stop.signal,
        approvals: "ask",
        onEvent: (event) => log.addEvent(event),
      });
      log.end(await endOf(result));
    } catch (error) {
      const { code = "INTERNAL", message: text } = error as { code?: string; message: string };
      log.end({ type: "error", code, message: text });
    }
  }
}

async function endOf({ error, reply, stop_reason, provider, model, usage }: TurnResult): Promise<Step> {
  if (error) return { type: "error", code: error.code, message: error.message };
  return { type: "done", stop_reason, provider, model, usage, tree: await answerTree(reply) };
}
