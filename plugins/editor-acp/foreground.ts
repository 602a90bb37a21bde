import type { IdleStateUpdate, SessionUpdate } from "@agentclientprotocol/sdk/experimental/v2";

/** The work of one session as version 2 tells it by states: its turns, and their questions. */
export class Foreground {
  readonly #send: (update: SessionUpdate) => void;
  #turns = 0;
  #questions = 0;

  constructor(send: (update: SessionUpdate) => void) {
    this.#send = send;
  }

  begin(): void {
    this.#turns += 1;
    this.tell();
  }

  end(last: IdleStateUpdate): void {
    this.#turns -= 1;
    if (this.#turns > 0) this.tell();
    else this.#send({ sessionUpdate: "state_update", state: "idle", ...last });
  }

  /** Tells that the person is waited for, until the question is over. */
  async asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#questions += 1;
    this.tell();
    try {
      return await ask();
    } finally {
      this.#questions -= 1;
      if (this.#turns > 0) this.tell();
    }
  }

  tell(): void {
    const about = { sessionUpdate: "state_update" } as const;
    if (this.#turns === 0) this.#send({ ...about, state: "idle" });
    else if (this.#questions > 0) this.#send({ ...about, state: "requires_action" });
    else this.#send({ ...about, state: "running" });
  }
}
