import type { ChatFrame, KnownPlaces } from "@gantry/sdk/channel";
import type { SlackAddress } from "./address.ts";
import { readMessage, type SlackMessage } from "./read-message.ts";
import type { Me } from "./read-mrkdwn.ts";
import type { WireMessage } from "./wire.ts";

/** A channel, direct message or thread in which people have written to the app. */
export interface Place {
  readonly channel: string;
  readonly thread?: string;
  readonly last: string;
}

export interface MessageNeeds {
  readonly frame: ChatFrame<SlackAddress, SlackMessage>;
  readonly places: KnownPlaces<Place>;
  readonly replyInThread: boolean;
}

/**
 * Takes what people write: in order within a place, side by side over several, each message once.
 */
export class Messages {
  readonly #needs: MessageNeeds;
  /**
   * The messages being taken, by id: Slack sends one text as several events, and again if an event
   * is not acknowledged.
   */
  readonly #running = new Map<string, Promise<void>>();
  /** The last of each place. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(needs: MessageNeeds) {
    this.#needs = needs;
  }

  /**
   * Resolves once the message is on disk or is none for the agent. Throws what the inbox throws.
   */
  async take(wire: WireMessage, me: Me, signal: AbortSignal): Promise<void> {
    const message = await this.#read(wire, me);
    if (message === undefined) return;
    const same = this.#running.get(message.id);
    if (same) return same;

    const place = placeOf(message);
    const before = this.#last.get(keyOf(place)) ?? this.#last.get(place.channel) ?? Promise.resolve();
    const taken = before.then(() => this.#admit(message, signal));
    const done = taken.finally(() => this.#running.delete(message.id));
    this.#running.set(message.id, done);
    this.hold(place, done);
    return done;
  }

  /** Makes later messages of this place wait for the work, whatever comes of it. */
  hold(place: Place, work: Promise<void>): void {
    const key = keyOf(place);
    const settled = work
      .catch(() => {})
      .finally(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
  }

  /** Takes what was missed in a place that is held, one after the other. */
  async takeMissed(wires: readonly WireMessage[], me: Me, signal: AbortSignal): Promise<void> {
    for (const wire of wires) {
      const message = await this.#read(wire, me);
      if (message !== undefined) await this.#admit(message, signal);
    }
  }

  #read(wire: WireMessage, me: Me): Promise<SlackMessage | undefined> {
    const about = { ts: String(wire?.ts) };
    return this.#needs.frame.read(about, () => readMessage(wire, me, this.#needs));
  }

  async #admit(message: SlackMessage, signal: AbortSignal): Promise<void> {
    const { frame, places } = this.#needs;
    signal.throwIfAborted();
    const known = await frame.take([message], signal);
    for (const one of known) {
      const place = placeOf(one);
      const { channel, thread } = one.replyTo;
      await places.reached(keyOf(place), place);
      // The thread that its answer begins, or the channel of a thread, which may be new.
      if (place.thread === undefined && thread !== undefined)
        await places.reached(keyOf({ channel, thread }), { ...place, thread });
      else if (place.thread !== undefined && !(await places.get(channel)))
        await places.reached(channel, { channel, last: place.last });
    }
    await places.keep();
  }
}

/** Returns the place of a message: a thread only if the message answers there. */
function placeOf({ replyTo: { channel, thread }, ts: last }: SlackMessage): Place {
  return thread === undefined || thread === last ? { channel, last } : { channel, thread, last };
}

export function keyOf({ channel, thread }: Pick<Place, "channel" | "thread">): string {
  return thread === undefined ? channel : `${channel}:${thread}`;
}
