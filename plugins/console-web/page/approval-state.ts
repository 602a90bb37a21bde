import { signal } from "@preact/signals";
import { asFailure } from "./parts.tsx";
import { ask, events, Failure, isUnreachable, pause } from "./service.ts";

/** A question as the host words it. */
export interface Question {
  readonly id: string;
  readonly session: string;
  readonly user: string;
  readonly trust?: string;
  readonly tool: string;
  readonly preview: string;
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
const mostShown = 50;

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
    const open = data["approvals"] as readonly Question[];
    const over = questions.value.filter(({ question }) => open.every(({ id }) => id !== question.id));
    const known = over.map((one) => (one.end ? one : { ...one, end: {} }));
    questions.value = [...open.map((question) => ({ question })), ...known].slice(0, mostShown);
  }
  if (event === "ended") settle(String(data["id"]), data);
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
