import { compareIds, pause, type KnownPlaces, type PlatformFailure } from "@gantry/sdk/channel";
import type { Messages, Place } from "./messages.ts";
import type { Me } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { idAt, isId } from "./snowflake.ts";
import type { WireMessage } from "./wire.ts";

/** Messages of one call, and conversations. */
const pageSize = 50;
const maxPlaces = 100;
/** An older message is answered too late to be of use; this alone bounds a conversation's pages. */
const dayMs = 86_400_000;
/** A longer wait for a limit ends the try; the next connection begins another. */
const patienceMs = 60_000;

export interface CatchUpNeeds {
  readonly rest: Rest;
  readonly places: KnownPlaces<Place>;
  readonly messages: Messages;
}

/**
 * Fetches what was written in known places before a session, which hands out only what comes from
 * then on. Throws if the platform is away: then nothing counts as caught up.
 */
export async function catchUp(needs: CatchUpNeeds, me: Me, signal: AbortSignal): Promise<void> {
  for (const place of (await needs.places.list()).slice(0, maxPlaces)) await bring(place, needs, me, signal);
}

/** Takes each page before it asks for the next, so that another try goes on from there. */
async function bring(place: Place, needs: CatchUpNeeds, me: Me, signal: AbortSignal): Promise<void> {
  const dayAgo = idAt(Date.now() - dayMs);
  let after = compareIds(place.last, dayAgo) > 0 ? place.last : dayAgo;
  for (;;) {
    const page = await pageAfter(after, place, needs, signal);
    const missed = inOrder(page, place);
    if (missed.length > 0) await needs.messages.take(missed, me, signal);
    const latest = missed.at(-1)?.id ?? after;
    // A page that leads no further would be asked for again and again.
    if (page.length < pageSize || compareIds(latest, after) <= 0) return;
    after = latest;
  }
}

/** Returns nothing if the bot may no longer read. */
async function pageAfter(
  after: string,
  { channel }: Place,
  { rest, places }: CatchUpNeeds,
  signal: AbortSignal,
): Promise<readonly WireMessage[]> {
  const path = `/channels/${channel}/messages?after=${after}&limit=${pageSize}`;
  for (;;) {
    try {
      const found = await rest.call<unknown>("GET", path, { signal });
      return Array.isArray(found) ? (found as readonly WireMessage[]) : [];
    } catch (error) {
      const { kind, afterMs = Infinity } = error as PlatformFailure;
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

/** Returns messages in the order they were written; one of REST does not name its server. */
function inOrder(page: readonly WireMessage[], { channel, guild }: Place): readonly WireMessage[] {
  return page
    .filter((message) => isId(message?.id))
    .toSorted((a, b) => compareIds(a.id, b.id))
    .map((message) => ({ ...message, channel_id: channel, ...(guild !== undefined && { guild_id: guild }) }));
}
