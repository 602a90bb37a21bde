import type { ToolCall } from "@gantry/sdk";

type Tell = (call: ToolCall) => void;

/** Tells each conversation of its own calls, as they begin to run. */
export class StartedCalls {
  readonly #told = new Map<string, Tell>();

  tell(call: ToolCall): void {
    this.#told.get(call.session)?.(call);
  }

  /** Has `tell` told of the calls of a session, until the function that this returns is called. */
  of(session: string, tell: Tell): () => void {
    this.#told.set(session, tell);
    return () => {
      if (this.#told.get(session) === tell) this.#told.delete(session);
    };
  }
}
