import { createHash } from "node:crypto";

/** Conversations are remembered as far as this. */
const MAX_SESSIONS = 1_000;

/**
 * The last edit of each conversation that found nothing, to tell a model that it goes round in
 * circles.
 */
export class FailedEdits {
  readonly #last = new Map<string, string>();

  /** Returns true if the same edit of this conversation failed right before. */
  add(session: string, edit: object): boolean {
    const digest = createHash("sha256").update(JSON.stringify(edit)).digest("hex");
    const again = this.#last.get(session) === digest;
    this.#last.delete(session);
    this.#last.set(session, digest);
    if (this.#last.size > MAX_SESSIONS) this.#last.delete(this.#last.keys().next().value as string);
    return again;
  }

  forget(session: string): void {
    this.#last.delete(session);
  }
}
