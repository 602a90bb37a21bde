import { randomBytes } from "node:crypto";
import type { ApprovalRequest } from "@gantry/sdk";
import type { QuestionEnd } from "@gantry/sdk/fill";
import { valuesOfProcess } from "@gantry/sdk/node";
import { digestOfValue } from "./effects.ts";
import { errors } from "./errors.ts";
import {
  answeredLater,
  isOpen,
  leftMs,
  type Asked,
  type Asking,
  type Decided,
  type Delivered,
  type Question,
  type Waiting,
} from "./asked-question.ts";
import { KeptQuestions, type Facts } from "./kept-questions.ts";

/** The time after which a question looks again for a decision of another process. */
const lookMs = 100;
/** If more questions are open than these, each looks less often. */
const oftenLooked = 50;
/** The most questions of one token, or of one person without a token, that wait at a time. */
const mostOpen = 16;

const expired = { decision: "expired", reason: "Nobody answered it in time." } as const;
const stopped = { decision: "withdrawn", reason: "The turn that asked it was stopped." } as const;
const changed = { decision: "withdrawn", reason: "The agent asks for another call now." } as const;
const notMade = { decision: "withdrawn", reason: "The call is not made any more." } as const;

/** The end of a question, or `open` if its turn was put off and begins again later. */
type Outcome = QuestionEnd | { readonly decision: "open" };

/** Opens the questions of a store, or of this host alone if there is no store. */
export function openDesk(
  values: () => Facts | undefined,
  awaited: Map<string, Waiting>,
  waitMs: number,
): QuestionDesk {
  const own = valuesOfProcess();
  return new QuestionDesk(new KeptQuestions(() => values() ?? own), awaited, waitMs);
}

/** Asks questions, waits for their ends, and takes up what an earlier process asked. */
export class QuestionDesk {
  readonly kept: KeptQuestions;
  readonly #awaited: Map<string, Waiting>;
  readonly #waitMs: number;

  constructor(kept: KeptQuestions, awaited: Map<string, Waiting>, waitMs: number) {
    this.kept = kept;
    this.#awaited = awaited;
    this.#waitMs = waitMs;
  }

  /** Throws APPROVAL_MANY beyond the bound. */
  async ask(asking: Asking): Promise<{ readonly id: string; readonly decided: Decided }> {
    const { question, call, announce, signal } = asking;
    const digest = digestOfValue([call, question]);
    const earlier = await this.#takeUp(question.session, digest);
    if (!earlier && this.#openOf(question) >= mostOpen) throw errors.APPROVAL_MANY(question.tool, mostOpen);
    const asked = earlier?.asked ?? this.#newQuestion(question, digest);
    const { id } = asked.request;
    const waiting = this.#awaited.get(id) ?? this.#await(asked);
    try {
      if (!earlier) await this.kept.keep(asked);
      // A question that was decided meanwhile is announced only to be settled in its old message.
      const isShown = earlier?.ended === undefined || earlier.delivered !== undefined;
      if (isShown && !signal.aborted) await this.#announce(asked, waiting, announce);
      const outcome = await this.#outcomeOf(asked, waiting, signal);
      return { id, decided: await this.#used(id, outcome) };
    } finally {
      this.#awaited.delete(id);
    }
  }

  /** Ends a question and wakes the turn that waits for it; false if it has ended before. */
  async end(asked: Asked, end: QuestionEnd): Promise<boolean> {
    const isMine = await this.kept.end(asked, leftMs(asked.request) > 0 ? end : expired);
    this.#awaited.get(asked.request.id)?.wake();
    return isMine && leftMs(asked.request) > 0;
  }

  /** Returns all open questions, the oldest first. */
  async open(): Promise<readonly ApprovalRequest[]> {
    const open = (await this.kept.read()).filter(isOpen);
    return open.flatMap(({ asked }) => (asked ? [asked.request] : []));
  }

  /** Ends the questions of this conversation that no turn here waits for. */
  async withdraw(session: string): Promise<void> {
    await this.#withdrawAll(this.#leftOf(await this.kept.read(), session), notMade);
  }

  /** Takes up a left question about the very same call, or else withdraws what was left. */
  async #takeUp(session: string, digest: string): Promise<Question | undefined> {
    const all = await this.kept.read();
    const left = this.#leftOf(all, session);
    const same = left.find(({ asked }) => asked?.digest === digest);
    if (same?.asked) this.#await(same.asked, same.delivered);
    // A turn that begins again first repeats earlier decisions, and leaves the rest for later.
    const isRepeated = all.some(({ ended }) => ended?.digest === digest);
    if (!same && !isRepeated) await this.#withdrawAll(left, changed);
    return same;
  }

  #openOf({ device, user }: Asking["question"]): number {
    const asked = [...this.#awaited.values()].map(({ request }) => request.device ?? request.user);
    return asked.filter((whom) => whom === (device ?? user)).length;
  }

  #await({ request }: Asked, delivered?: Delivered): Waiting {
    const waiting: Waiting = { request, wake: () => {}, delivered, sending: undefined };
    this.#awaited.set(request.id, waiting);
    return waiting;
  }

  /** Returns the questions that no turn here waits for, open or decided by a person. */
  #leftOf(all: readonly Question[], session: string): readonly Question[] {
    return all.filter(({ id, asked, ended }) => {
      if (asked?.request.session !== session || leftMs(asked.request) === 0) return false;
      return !this.#awaited.has(id) && (ended === undefined || ended.by !== undefined);
    });
  }

  async #withdrawAll(left: readonly Question[], end: QuestionEnd): Promise<void> {
    for (const { id, asked } of left) {
      if (asked) await this.kept.end(asked, end);
      await this.kept.use(id);
    }
  }

  #newQuestion(question: Asking["question"], digest: string): Asked {
    const id = randomBytes(8).toString("hex");
    const at = Date.now();
    const expires = new Date(at + this.#waitMs).toISOString();
    return { request: Object.freeze({ ...question, id, expires }), digest, at };
  }

  /** Shows a question, and denies it if that throws. Unless a channel sends it, it is delivered. */
  async #announce(
    asked: Asked,
    waiting: Waiting,
    announce: (request: ApprovalRequest) => void,
  ): Promise<void> {
    try {
      announce(asked.request);
      if (waiting.sending === undefined) waiting.delivered ??= { at: Date.now() };
    } catch {
      await this.end(asked, { decision: "deny", by: "nobody" });
    }
  }

  async #outcomeOf(asked: Asked, waiting: Waiting, signal: AbortSignal): Promise<Outcome> {
    const { id } = asked.request;
    const until = performance.now() + leftMs(asked.request);
    signal.addEventListener("abort", () => waiting.wake(), { once: true });
    for (;;) {
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      waiting.wake = resolve;
      // A store that fails is asked again at the next look, until the question expires.
      const end = await this.kept.endOf(id).catch(() => undefined);
      if (end) return end;
      if (signal.aborted && signal.reason === answeredLater) return { decision: "open" };
      const left = until - performance.now();
      const over = signal.aborted ? stopped : left <= 0 ? expired : undefined;
      if (over && (await this.kept.end(asked, over).catch(() => true))) return over;
      if (over) continue;
      const ms = lookMs * Math.ceil(this.#awaited.size / oftenLooked);
      const timer = setTimeout(resolve, Math.min(ms, left));
      await woken;
      clearTimeout(timer);
    }
  }

  /** Uses the question up. A yes counts for the first user alone. */
  async #used(id: string, outcome: Outcome): Promise<Decided> {
    if (outcome.decision === "open") return { decision: "cancelled" };
    const { decision, by = "nobody", reason = "", why } = outcome;
    if (decision === "allow" || decision === "always")
      return (await this.kept.use(id)) ? { decision, by } : { decision: "cancelled" };
    await this.kept.use(id).catch(() => false);
    if (decision === "deny") return { decision, by, ...(why !== undefined && { why }) };
    if (decision === "undelivered") return { decision, reason };
    return { decision: decision === "expired" ? "expired" : "cancelled" };
  }
}
