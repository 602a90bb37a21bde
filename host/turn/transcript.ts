import type { ChatMessage, FittedHistory } from "@gantry/sdk";
import type { Boundary } from "./boundary.ts";

/** The messages of a session and of the running turn, with how many the model has accepted. */
export class Transcript {
  #earlier: readonly ChatMessage[];
  #current: readonly ChatMessage[] = [];
  #sent: number;
  #boundary: Boundary;

  /** Takes kept messages, which have been sent before. */
  constructor(earlier: readonly ChatMessage[], boundary: Boundary) {
    this.#earlier = earlier;
    this.#sent = earlier.length;
    this.#boundary = boundary;
  }

  get earlier(): readonly ChatMessage[] {
    return this.#earlier;
  }

  get current(): readonly ChatMessage[] {
    return this.#current;
  }

  get sent(): number {
    return this.#sent;
  }

  get boundary(): Boundary {
    return this.#boundary;
  }

  add(...messages: readonly ChatMessage[]): void {
    this.#current = [...this.#current, ...messages];
  }

  /** All of them, with the marks, as they go to the model. */
  marked(): readonly ChatMessage[] {
    return this.#boundary.marked([...this.#earlier, ...this.#current]);
  }

  /** The model has answered, so what it was sent fits. */
  accepted(): void {
    this.#sent = this.#earlier.length + this.#current.length;
  }

  /** Returns true if a message that was sent before is another one now. */
  changes({ earlier, current }: FittedHistory): boolean {
    const before = [...this.#earlier, ...this.#current].slice(0, this.#sent);
    const after = [...earlier, ...current];
    return before.some((message, i) => JSON.stringify(message) !== JSON.stringify(after[i]));
  }

  replace({ earlier, current }: FittedHistory, boundary: Boundary): void {
    const isChanged = this.changes({ earlier, current });
    this.#earlier = earlier;
    this.#current = current;
    this.#boundary = boundary;
    if (isChanged) this.#sent = 0;
  }

  /** Returns this turn for the session without unaccepted results, which may be why it failed. */
  withoutUnaccepted(): readonly ChatMessage[] {
    const known = this.#sent - this.#earlier.length;
    return this.#current.map((message, i) =>
      i >= known && message.role === "tool" ? leftOut(message) : message,
    );
  }
}

function leftOut(message: ChatMessage & { role: "tool" }): ChatMessage {
  const text = "[The result is left out: the model did not take the request that held it.]";
  const handed = message.parts.filter((part) => part.type === "media" && part.forPerson);
  return { ...message, parts: [{ type: "text", text }, ...handed] };
}
