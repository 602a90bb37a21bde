import { pause, PlatformFailure } from "@gantry/sdk/channel";
import type { Messages } from "./messages.ts";
import type { Places, Place } from "./places.ts";
import type { Me } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { compareIds, idAt, isId, laterOf } from "./snowflake.ts";
import type { WireMessage } from "./wire.ts";

/** Messages of one call, and conversations. */
const pageSize = 50;
const maxPlaces = 100;
/** What is older is answered too late to be of use; this alone bounds the pages of a conversation. */
const dayMs = 86_400_000;
/** A longer wait for a limit ends the try; the next connection begins another. */
const patienceMs = 60_000;

export interface CatchUpNeeds {
  readonly rest: Rest;
  readonly places: Places;
  readonly messages: Messages;
}

/** After a new session, which hands out only what comes from then on: fetches what was written meanwhile where the bot is asked. */
export class CatchUp {
  readonly #needs: CatchUpNeeds;

  constructor(needs: CatchUpNeeds) {
    this.#needs = needs;
  }

  /** Throws where the platform is away: then nothing counts as caught up. */
  async run(me: Me, signal: AbortSignal): Promise<void> {
    const { places } = this.#needs;
    for (const place of (await places.list()).slice(0, maxPlaces)) await this.#bring(place, me, signal);
  }

  /** Each page is taken before the next is asked for, so that another try goes on where this one ended. */
  async #bring(place: Place, me: Me, signal: AbortSignal): Promise<void> {
    let after = laterOf(place.last, idAt(Date.now() - dayMs));
    for (;;) {
      const path = `/channels/${place.channel}/messages?after=${after}&limit=${pageSize}`;
      const page = await this.#history(path, place.channel, signal);
      const missed = inOrder(page, place);
      if (missed.length > 0) await this.#needs.messages.take(missed, me, signal);
      const latest = missed.at(-1)?.id ?? after;
      // A page that leads no further would be asked for again and again.
      if (page.length < pageSize || compareIds(latest, after) <= 0) return;
      after = latest;
    }
  }

  /** Nothing where the bot may no longer read. */
  async #history(path: string, channel: string, signal: AbortSignal): Promise<readonly WireMessage[]> {
    const { rest, places } = this.#needs;
    for (;;) {
      try {
        const found = await rest.call<unknown>("GET", path, { signal });
        return Array.isArray(found) ? (found as readonly WireMessage[]) : [];
      } catch (error) {
        if (!(error instanceof PlatformFailure)) throw error;
        const { kind, afterMs = Infinity } = error;
        if (kind === "refused") {
          await places.forget(channel);
          return [];
        }
        if (kind !== "rate" || afterMs > patienceMs) throw error;
        await pause(afterMs, signal);
        signal.throwIfAborted();
      }
    }
  }
}

/** In the order they were written; a message of REST does not name its server. */
function inOrder(page: readonly WireMessage[], { channel, guild }: Place): readonly WireMessage[] {
  return page
    .filter((message) => isId(message?.id))
    .toSorted((a, b) => compareIds(a.id, b.id))
    .map((message) => ({ ...message, channel_id: channel, ...(guild !== undefined && { guild_id: guild }) }));
}
