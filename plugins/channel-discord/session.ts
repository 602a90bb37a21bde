import type { Values } from "@gantry/sdk";

const space = "discord.session";
/** The platform keeps missed events for minutes, so it does not take an older session up again. */
const lifeMs = 86_400_000;

/** A session at the gateway, which another connection, also of another process, may go on with. */
export interface Session {
  readonly id: string;
  /** The address at which it is resumed. */
  readonly url: string;
  /** The last event that is done with: what comes after it is handed out again. */
  readonly seq: number;
  /** True once the messages missed before it began have been fetched. */
  readonly caughtUp: boolean;
}

/** The session of one bot, kept over restarts. */
export class KeptSession {
  readonly #values: () => Values;

  constructor(values: () => Values) {
    this.#values = values;
  }

  get(botId: string): Promise<Session | undefined> {
    return this.#values().get<Session>(space, botId);
  }

  /** Undefined: there is none any more. */
  async put(botId: string, session: Session | undefined): Promise<void> {
    if (session) await this.#values().put(space, botId, session, { forMs: lifeMs });
    else await this.#values().remove(space, botId);
  }
}
