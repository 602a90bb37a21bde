import { textParts, type InboundMessage, type Logger, type Outbox, type Values } from "@gantry/sdk";

const SPACE = "alert-owner";

const KEY = "owner";

type Place = Pick<InboundMessage, "channel" | "conversation" | "replyTo">;

/** Where the owner is told something: alone with the agent, on the channel of their last message that is not in trouble itself. */
export class Owner {
  readonly #values: Values;
  readonly #outbox: Outbox;
  readonly #log: Logger;
  /** By channel, the last written to at the end; undefined until it was read. */
  #places: Map<string, Place> | undefined;
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
    this.#note({ channel, conversation, replyTo }).catch((error: Error) => {
      this.#places = undefined;
      this.#log.warn({ err: error }, "Where the owner is told of alerts could not be noted.");
    });
  }

  async #note(place: Place): Promise<void> {
    const places = await this.#known();
    const last = [...places.values()].at(-1);
    if (JSON.stringify(place) === JSON.stringify(last)) return;
    places.delete(place.channel);
    places.set(place.channel, place);
    await this.#values.put(SPACE, KEY, [...places.values()]);
  }

  /** Kept in memory, for when the store cannot be read. */
  async #known(): Promise<Map<string, Place>> {
    if (!this.#places) {
      const kept = (await this.#values.get<Place | readonly Place[]>(SPACE, KEY)) ?? [];
      // Earlier releases kept one.
      this.#places ??= new Map([kept].flat().map((place) => [place.channel, place]));
    }
    return this.#places;
  }

  /** Says it once under a key, by another channel than `about` if there is one; nobody is told where no owner has written yet. */
  async tell(key: string, text: string, about: string): Promise<void> {
    try {
      const places = [...(await this.#known()).values()];
      const place = places.findLast(({ channel }) => `channel:${channel}` !== about) ?? places.at(-1);
      if (!place) return;
      const { channel, conversation, replyTo: to } = place;
      const parts = textParts(text);
      await this.#outbox.send({ channel, conversation, to, parts, key, evenUnkept: true });
    } catch (error) {
      this.#log.warn({ err: error as Error }, "The owner could not be told of an alert.");
    }
  }
}
