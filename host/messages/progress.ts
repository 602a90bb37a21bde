import { textParts, type InboundMessage, type TurnEvent } from "@gantry/sdk";
import type { Delivery } from "./delivery.ts";

/** Platforms bound how often a message is edited. */
const leastMs = 3_000;
/** What is on its way when the turn ends is waited for so long, so that it does not come behind the answer. */
const patienceMs = 5_000;

/**
 * What a long turn does, in one message that is edited: only where the channel can edit, and only if it called a tool. It is a
 * sign and no answer: what fails is left out.
 */
export class Progress {
  readonly #delivery: Delivery;
  readonly #message: InboundMessage;
  readonly #signal: AbortSignal;
  readonly #calls: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #due: boolean = false;
  #showing: Promise<void> = Promise.resolve();
  #shown: { readonly id: string; readonly calls: number } | undefined;
  #failed: boolean = false;

  /** `afterMs`: how long a turn runs before it is shown; 0 shows none. */
  constructor(delivery: Delivery, message: InboundMessage, signal: AbortSignal, afterMs: number) {
    this.#delivery = delivery;
    this.#message = message;
    this.#signal = signal;
    if (afterMs > 0 && delivery.canEdit(message)) this.#wait(afterMs);
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
    const done = textParts(doneText(this.#calls.length));
    const ended = this.#delivery.edit(this.#message, shown.id, done, this.#signal);
    await Promise.race([ended, late]);
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
    const parts = textParts(workingText(this.#calls));
    const { channel, id } = this.#message;
    const sent = this.#shown
      ? await this.#delivery.edit(this.#message, this.#shown.id, parts, this.#signal)
      : await this.#delivery.say(this.#message, parts, `${channel}:${id}:progress`, this.#signal);
    const known = this.#shown?.id ?? (sent.status === "sent" ? sent.id : undefined);
    this.#failed = known === undefined || sent.status === "refused";
    if (known !== undefined) this.#shown = { id: known, calls };
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
