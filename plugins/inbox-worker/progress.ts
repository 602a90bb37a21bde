import type { Claim, ClaimedMessages } from "@gantry/sdk/fill";
import type { Sent, TurnEvent } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";

/** Platforms bound how often a message is edited. */
const leastMs = 3_000;
/** The longest wait for a text on its way at the turn's end: it must not come after the answer. */
const patienceMs = 5_000;

/**
 * Shows the tools of a long turn in one message that is edited, if the channel can edit. It is not
 * an answer: what fails is left out.
 */
export class Progress {
  readonly #messages: ClaimedMessages;
  readonly #claim: Claim;
  readonly #signal: AbortSignal;
  readonly #calls: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #due: boolean = false;
  #showing: Promise<void> = Promise.resolve();
  #shown: { readonly id: string; readonly calls: number } | undefined;
  #failed: boolean = false;

  /** `afterMs`: how long a turn runs before it is shown; 0 shows none. */
  constructor(messages: ClaimedMessages, claim: Claim, signal: AbortSignal, afterMs: number) {
    this.#messages = messages;
    this.#claim = claim;
    this.#signal = signal;
    if (afterMs > 0) this.#wait(afterMs);
  }

  tell(event: TurnEvent): void {
    if (event.type !== "tool_call") return;
    this.#calls.push(event.tool);
    if (this.#due) this.#show();
  }

  /** Resolves once nothing of it is on its way any more. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#due = false;
    const late = new Promise<void>((resolve) => setTimeout(resolve, patienceMs).unref());
    await Promise.race([this.#showing, late]);
    const shown = this.#shown;
    if (!shown || this.#signal.aborted) return;
    await Promise.race([this.#say(doneText(this.#calls.length)), late]);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#due = true;
      if (this.#calls.length > (this.#shown?.calls ?? 0)) this.#show();
    }, ms);
    this.#timer.unref();
  }

  #show(): void {
    this.#due = false;
    this.#showing = this.#put().finally(() => {
      if (!this.#failed && !this.#signal.aborted) this.#wait(leastMs);
    });
  }

  async #put(): Promise<void> {
    const calls = this.#calls.length;
    const sent = await this.#say(workingText(this.#calls));
    const known = this.#shown?.id ?? (sent.status === "sent" ? sent.id : undefined);
    this.#failed = known === undefined || sent.status === "refused";
    if (known !== undefined) this.#shown = { id: known, calls };
  }

  #say(text: string): Promise<Sent> {
    return this.#messages
      .show(this.#claim, text, this.#shown?.id, this.#signal)
      .catch((error: unknown) => ({ status: "refused", reason: asError(error).message }));
  }
}

/** Names alone: arguments may be nobody else's business. */
function workingText(calls: readonly string[]): string {
  const before = calls.length > 1 ? `, after ${counted(calls.length - 1)}` : "";
  return `Working: ${calls.at(-1)}${before} …`;
}

function doneText(count: number): string {
  return `Worked: ${counted(count)}.`;
}

function counted(count: number): string {
  return count === 1 ? "1 call" : `${count} calls`;
}
