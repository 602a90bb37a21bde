import {
  textParts,
  type GantryError,
  type InboundMessage,
  type Logger,
  type Outbox,
  type Values,
} from "@gantry/sdk";
import type { Door, OwnerDoors } from "@gantry/sdk/fill";
import { inTime } from "./in-time.ts";

const SPACE = "alert-owner";

const KEY = "owner";

/**
 * The place to tell the owner something: alone with the agent, on the channel of their last message
 * that is not in trouble itself.
 */
export class Owner implements OwnerDoors {
  readonly #values: Values;
  readonly #outbox: Outbox;
  readonly #log: Logger;
  /** By channel, the last written to at the end; undefined until it was read. */
  #places: Map<string, Door> | undefined;
  #isServing = false;

  constructor(values: Values, outbox: Outbox, log: Logger) {
    this.#values = values;
    this.#outbox = outbox;
    this.#log = log;
  }

  /** From here on messages come by channels; nothing can be sent to a terminal. */
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

  async door(channel: string): Promise<Door | undefined> {
    return (await this.#known()).get(channel);
  }

  async #note(place: Door): Promise<void> {
    const places = await this.#known();
    const last = [...places.values()].at(-1);
    if (JSON.stringify(place) === JSON.stringify(last)) return;
    places.delete(place.channel);
    places.set(place.channel, place);
    await this.#values.put(SPACE, KEY, [...places.values()]);
  }

  /** Kept in memory, for when the store cannot be read. */
  async #known(): Promise<Map<string, Door>> {
    if (!this.#places) {
      const kept = (await inTime(() => this.#values.get<Door | readonly Door[]>(SPACE, KEY))) ?? [];
      // Earlier releases kept one.
      this.#places ??= new Map([kept].flat().map((place) => [place.channel, place]));
    }
    return this.#places;
  }

  /**
   * Says it once under a key, by another channel than `about` if there is one; nobody is told where
   * no owner has written yet.
   */
  async tell(key: string, text: string, about: string): Promise<void> {
    try {
      const newestFirst = [...(await this.#known()).values()].toReversed();
      const isAbout = ({ channel }: Door): boolean => `channel:${channel}` === about;
      const others = newestFirst.filter((place) => !isAbout(place));
      for (const place of [...others, ...newestFirst.filter(isAbout)])
        if (await this.#send(place, key, text)) return;
    } catch (error) {
      this.#log.warn({ err: error as Error }, "The owner could not be told of an alert.");
    }
  }

  /**
   * Returns false if no channel takes it: they wrote over HTTP, or by a channel that is no longer
   * configured.
   */
  async #send({ channel, conversation, replyTo: to }: Door, key: string, text: string): Promise<boolean> {
    try {
      await this.#outbox.send({ channel, conversation, to, parts: textParts(text), key, evenUnkept: true });
      return true;
    } catch (error) {
      if ((error as Partial<GantryError>).code === "OUTBOX_NO_CHANNEL") return false;
      throw error;
    }
  }
}
