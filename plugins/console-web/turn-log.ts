import type { ServerEvent, TurnEvent } from "@gantry/sdk";

/** A step of a turn as a page gets it. */
export interface Step {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Characters of one result or message of progress that a page gets. */
const mostText = 20_000;

/**
 * All steps of one turn, kept while it runs and for a moment after it, so that a page that was
 * loaded again, and a second page, get every one of them.
 */
export class TurnLog {
  readonly #steps: Step[] = [];
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  add(step: Step): void {
    if (this.#isOver) return;
    this.#steps.push(step);
    this.#wake();
  }

  addEvent(event: TurnEvent): void {
    const step = stepOf(event);
    if (step) this.add(step);
  }

  end(step: Step): void {
    this.add(step);
    this.#isOver = true;
    this.#wake();
  }

  /** Yields the steps behind the first `after`, as they come, until the turn is over. */
  async *read(after: number, signal: AbortSignal): AsyncGenerator<ServerEvent, void> {
    let go: (() => void) | undefined;
    const wake = (): void => go?.();
    this.#waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
    try {
      for (let at = Math.max(0, after); !signal.aborted;) {
        while (at < this.#steps.length) {
          const { type, ...data } = this.#steps[at] as Step;
          at += 1;
          yield { event: type, data: { n: at, ...data } };
        }
        if (this.#isOver) return;
        if (!signal.aborted) await new Promise<void>((resolve) => (go = resolve));
      }
    } finally {
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", wake);
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

/** Returns what a page is told of a step; undefined if it has no use for it. */
function stepOf(event: TurnEvent): Step | undefined {
  switch (event.type) {
    case "approval_request":
      return { type: event.type, id: event.request.id };
    case "tool_question":
      return { type: event.type, question: event.question };
    case "tool_result":
      return { ...event, text: cut(event.text) };
    case "delta":
    case "tool_call":
    case "tool_progress":
    case "tool_question_done":
    case "approval_done":
      return { ...event };
    default:
      return undefined;
  }
}

function cut(text: string): string {
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text;
}
