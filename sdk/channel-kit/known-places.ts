import { listAll, type Values } from "../store/store.ts";

/** The most places of one channel; the one that was quiet for longest is forgotten first. */
const maxPlaces = 500;

/** A conversation in which the agent is asked. */
export interface KnownPlace {
  /** The platform's id of the last message that is done with; later ones can be fetched. */
  readonly last: string;
}

/**
 * The conversations in which the agent was asked lately, kept over restarts, so that what was
 * written while nobody listened can be fetched.
 */
export class KnownPlaces<Place extends KnownPlace> {
  readonly #values: () => Values;
  readonly #space: string;
  readonly #lifeMs: number;
  #known: Promise<Map<string, Place>> | undefined;
  readonly #changed = new Set<string>();

  /** `space` of the values is the channel's own; a place quiet for `lifeMs` is forgotten. */
  constructor(values: () => Values, space: string, lifeMs: number) {
    this.#values = values;
    this.#space = space;
    this.#lifeMs = lifeMs;
  }

  /** Returns the places, those with the latest messages first. */
  async list(): Promise<readonly Place[]> {
    return [...(await this.#load()).values()].toSorted((a, b) => compareIds(b.last, a.last));
  }

  async get(key: string): Promise<Place | undefined> {
    return (await this.#load()).get(key);
  }

  /** Notes that a place is known and done with up to its `last`, until {@link keep} writes it. */
  async reached(key: string, place: Place): Promise<void> {
    const known = await this.#load();
    const before = known.get(key);
    known.delete(key);
    known.set(key, before && compareIds(before.last, place.last) > 0 ? before : place);
    this.#changed.add(key);
    if (known.size > maxPlaces) await this.forget(known.keys().next().value as string);
  }

  async forget(key: string): Promise<void> {
    (await this.#load()).delete(key);
    this.#changed.delete(key);
    await this.#values().remove(this.#space, key);
  }

  /** Writes what has changed. */
  async keep(): Promise<void> {
    const known = await this.#load();
    for (const key of this.#changed) {
      this.#changed.delete(key);
      await this.#values().put(this.#space, key, known.get(key), { forMs: this.#lifeMs });
    }
  }

  #load(): Promise<Map<string, Place>> {
    this.#known ??= listAll<Place>(this.#values(), this.#space).then(
      (list) => new Map(list.map(({ key, value }) => [key, value])),
      (error: unknown) => {
        this.#known = undefined;
        throw error;
      },
    );
    return this.#known;
  }
}

/** Compares ids that grow with time: decimal numbers or times of one form; below 0: `a` first. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
