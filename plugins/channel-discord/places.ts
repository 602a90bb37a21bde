import { listAll, type Values } from "@gantry/sdk";
import { compareIds, laterOf } from "./snowflake.ts";

const space = "discord.places";
/** A conversation in which the bot was not asked for so long is forgotten. */
const lifeMs = 7 * 86_400_000;
const maxPlaces = 500;

/** A conversation in which the bot is asked. */
export interface Place {
  readonly channel: string;
  readonly guild?: string;
  /** The last message that is done with. */
  readonly last: string;
}

/**
 * The channels in which the bot was asked lately, and the last message seen in each: later ones can
 * be fetched.
 */
export class Places {
  readonly #values: () => Values;
  #known: Promise<Map<string, Place>> | undefined;
  readonly #changed = new Set<string>();

  constructor(values: () => Values) {
    this.#values = values;
  }

  /** The ones with the latest messages first. */
  async list(): Promise<readonly Place[]> {
    return [...(await this.#load()).values()].toSorted((a, b) => compareIds(b.last, a.last));
  }

  /** A message was taken in. */
  async note(channel: string, guild: string | undefined, message: string): Promise<void> {
    const known = await this.#load();
    const last = laterOf(message, known.get(channel)?.last ?? "0");
    known.delete(channel);
    known.set(channel, { channel, ...(guild !== undefined && { guild }), last });
    this.#changed.add(channel);
    if (known.size > maxPlaces) await this.forget(known.keys().next().value as string);
  }

  /** A message was seen that is not for the bot. */
  async pass(channel: string, message: string): Promise<void> {
    const place = (await this.#load()).get(channel);
    if (place) await this.note(channel, place.guild, message);
  }

  async forget(channel: string): Promise<void> {
    (await this.#load()).delete(channel);
    this.#changed.delete(channel);
    await this.#values().remove(space, channel);
  }

  /** Writes down what has changed. */
  async keep(): Promise<void> {
    const known = await this.#load();
    for (const channel of this.#changed) {
      await this.#values().put(space, channel, known.get(channel), { forMs: lifeMs });
      this.#changed.delete(channel);
    }
  }

  async #load(): Promise<Map<string, Place>> {
    this.#known ??= listAll<Place>(this.#values(), space).then(
      (list) => new Map(list.map(({ key, value }) => [key, value])),
    );
    return this.#known.catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
  }
}
