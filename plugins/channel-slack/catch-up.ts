import type { Logger } from "@gantry/sdk";
import { pause, PlatformFailure, type KnownPlaces } from "@gantry/sdk/channel";
import { keyOf, type Messages, type Place } from "./messages.ts";
import { pagesOf } from "./posting.ts";
import type { Me } from "./read-mrkdwn.ts";
import type { WebApi } from "./web-api.ts";
import type { WireMessage } from "./wire.ts";

/**
 * As many as the method takes in a minute: https://docs.slack.dev/apis/web-api/rate-limits, tier 3.
 */
const maxPlaces = 50;

export interface CatchUpNeeds {
  readonly api: WebApi;
  readonly messages: Messages;
  readonly places: KnownPlaces<Place>;
  readonly log: Logger;
}

/**
 * Begins to fetch what was written while no connection was there, which Slack sends to nobody.
 * Resolves once whatever comes in of known places waits for what was missed there. Rejections of
 * the work itself go to `fail`; what Slack refuses is said in the log.
 */
export async function beginCatchUp(
  needs: CatchUpNeeds,
  me: Me,
  signal: AbortSignal,
  fail: (error: unknown) => void,
): Promise<void> {
  const { places, messages } = needs;
  const held = (await places.list()).slice(0, maxPlaces).map((place) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    messages.hold(place, promise);
    return { place, release: resolve };
  });
  const releaseAll = (): void => held.forEach(({ release }) => release());
  const work = async (): Promise<void> => {
    for (const { place, release } of held) {
      signal.throwIfAborted();
      await messages.takeMissed(await missedIn(place, needs, signal, releaseAll), me, signal);
      release();
    }
  };
  void work().catch(fail).finally(releaseAll);
}

/**
 * Waits as long as Slack asks, and holds up nobody for that; a place that it does not show any more
 * is left out.
 */
async function missedIn(
  place: Place,
  { api, log, places }: CatchUpNeeds,
  signal: AbortSignal,
  releaseAll: () => void,
): Promise<readonly WireMessage[]> {
  const { channel, last } = place;
  for (;;) {
    try {
      const found: WireMessage[] = [];
      for await (const page of pagesOf(api, { ...place, oldest: last }, signal)) found.push(...page);
      return found
        .filter(({ ts }) => Number(ts) > Number(last))
        .map((message) => ({ ...message, channel }))
        .toSorted((a, b) => Number(a.ts) - Number(b.ts));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PlatformFailure)) throw error;
      if (error.afterMs === undefined) {
        if (error.kind === "refused") await places.forget(keyOf(place));
        log.warn({}, `What was written in ${channel} meanwhile is not known: ${error.message}`);
        return [];
      }
      releaseAll();
      await pause(error.afterMs, signal);
    }
  }
}
