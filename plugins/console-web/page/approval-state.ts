import { signal } from "@preact/signals";
import { asFailure, Failure, isUnreachable } from "./failure.ts";
import { ask, events, pause } from "./service.ts";

/** A question as the host words it. */
export interface Question {
  readonly id: string;
  readonly session: string;
  readonly user: string;
  readonly trust?: string;
  readonly tool: string;
  readonly preview: string;
  /** Of the preview and the diff together. */
  readonly lines: number;
  /** 0 if no shell runs any. */
  readonly commands: number;
  readonly diff?: string;
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
  readonly always?: string;
  readonly expires: string;
}

export interface Asked {
  readonly question: Question;
  /** The end of the question, once it is over. */
  readonly end?: { readonly decision?: string; readonly by?: string; readonly reason?: string };
}

/** Questions that wait, and those that were decided while the page was open. */
export const questions = signal<readonly Asked[]>([]);
/** True once the questions that wait are known. */
export const isKnown = signal(false);
export const failure = signal<Failure | undefined>(undefined);

const pauseMs = 1_500;
/** Questions that are over and stay in sight; the oldest give way. */
const mostOver = 10;
/** Others come once some of these are decided. */
const mostShown = 60;

/** Follows the questions of all doors until `until`. */
export async function follow(until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    try {
      await events("/api/approvals/events", take, until);
    } catch (error) {
      // A service that does not answer is told of for every page.
      if (!isUnreachable(error)) failure.value = asFailure(error);
      if (error instanceof Failure && error.status === 403) return;
    }
    await pause(pauseMs, until);
  }
}

function take(event: string, data: Record<string, unknown>): void {
  if (event === "open") {
    [isKnown.value, failure.value] = [true, undefined];
    questions.value = inPlace(questions.value, data["approvals"] as readonly Question[]);
  }
  if (event === "ended") settle(String(data["id"]), data);
}

/** Returns the questions with each known one where it was, so that none takes another's place. */
function inPlace(known: readonly Asked[], open: readonly Question[]): readonly Asked[] {
  const stay = known.map((one): Asked => {
    const question = open.find(({ id }) => id === one.question.id);
    return question ? { question } : { ...one, end: one.end ?? {} };
  });
  const fresh = open.filter(({ id }) => stay.every(({ question }) => question.id !== id));
  const over = stay.filter(({ end }) => end).slice(0, -mostOver);
  const kept = stay.filter((one) => !over.includes(one));
  return [...kept, ...fresh.map((question) => ({ question }))].slice(0, mostShown);
}

function settle(id: string, end: NonNullable<Asked["end"]>): void {
  questions.value = questions.value.map((one) => (one.question.id === id ? { ...one, end } : one));
}

/** Decides a question; one that is over already gets the end that it had. */
export async function decide(id: string, decision: "allow" | "always" | "deny"): Promise<void> {
  try {
    await ask("POST", `/api/approvals/${id}`, { decision });
    settle(id, { decision });
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 409) throw error;
    settle(id, { reason: error.message });
  }
}
