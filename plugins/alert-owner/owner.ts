import { textParts, type InboundMessage, type Logger, type Outbox, type Values } from "@gantry/sdk";

const SPACE = "alert-owner";
const KEY = "owner";

type Place = Pick<InboundMessage, "channel" | "conversation" | "replyTo">;

/** Where the owner is told something: alone with the agent, on the channel of their last message. */
export class Owner {
  readonly #values: Values;
  readonly #outbox: Outbox;
  readonly #log: Logger;
  #noted = "";
  #isServing = false;

  constructor(values: Values, outbox: Outbox, log: Logger) {
    this.#values = values;
    this.#outbox = outbox;
    this.#log = log;
  }

  /** From here on messages come by channels; a terminal is no place to send something to. */
  serve(): void {
    this.#isServing = true;
  }

  /** Notes where an owner wrote; a message never waits for it nor fails by it. */
  wrote({ trust, channel, conversation, replyTo }: InboundMessage): void {
    if (!this.#isServing || trust !== "owner" || conversation.kind !== "direct") return;
    const place: Place = { channel, conversation, replyTo };
    const text = JSON.stringify(place);
    if (text === this.#noted) return;
    this.#noted = text;
    this.#values.put(SPACE, KEY, place).catch((error: Error) => {
      this.#noted = "";
      this.#log.warn({ err: error }, "Where the owner is told of alerts could not be noted.");
    });
  }

  /** Says it once under a key; nobody is told where no owner has written yet. */
  async tell(key: string, text: string): Promise<void> {
    try {
      const place = await this.#values.get<Place>(SPACE, KEY);
      if (!place) return;
      const { channel, conversation, replyTo: to } = place;
      await this.#outbox.send({ channel, conversation, to, parts: textParts(text), key });
    } catch (error) {
      this.#log.warn({ err: error as Error }, "The owner could not be told of an alert.");
    }
  }
}
