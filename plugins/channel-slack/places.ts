import { listAll, type Values } from "@gantry/sdk";
import type { SlackMessage } from "./read-message.ts";

const space = "slack.places";
/** A place that was silent for longer than this is forgotten. */
const keptMs = 30 * 86_400_000;

/** A channel, direct message or thread, and its last message that is on disk. */
export interface Place {
  readonly channel: string;
  readonly thread?: string;
  readonly ts: string;
}

/**
 * The places in which people have written to the app, so that it can be asked for what was written
 * while nobody listened.
 */
export class Places {
  readonly #values: () => Values;

  constructor(values: () => Values) {
    this.#values = values;
  }

  /** The newest first. */
  async list(): Promise<readonly Place[]> {
    const places = (await listAll<Place>(this.#values(), space)).map(({ value }) => value);
    return places.toSorted((a, b) => Number(b.ts) - Number(a.ts));
  }

  async knows(channel: string, thread: string): Promise<boolean> {
    return (await this.#values().get(space, keyOf({ channel, thread }))) !== undefined;
  }

  /** The message, and all before it of its place, are on disk. */
  async reached(message: SlackMessage): Promise<void> {
    const life = { forMs: keptMs };
    const { channel, thread } = message.replyTo;
    const put = (place: Place): Promise<void> => this.#values().put(space, keyOf(place), place, life);
    const place = { ...placeOf(message), ts: message.ts };
    await put(place);
    // The thread that its answer begins; and the channel of a thread, which may not have been
    // known.
    if (place.thread === undefined && thread !== undefined) await put({ ...place, thread });
    else if (place.thread !== undefined)
      await this.#values().add(space, channel, { channel, ts: message.ts }, life);
  }

  /** It is gone at Slack. */
  async forget(place: Place): Promise<void> {
    await this.#values().remove(space, keyOf(place));
  }
}

/** Returns the place of a message: a thread only if the message answers there. */
export function placeOf({ replyTo: { channel, thread }, ts }: SlackMessage): Omit<Place, "ts"> {
  return thread === undefined || thread === ts ? { channel } : { channel, thread };
}

export function keyOf({ channel, thread }: Omit<Place, "ts">): string {
  return thread === undefined ? channel : `${channel}:${thread}`;
}
