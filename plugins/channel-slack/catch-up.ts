import type { Logger } from "@gantry/sdk";
import { pause, PlatformFailure } from "@gantry/sdk/channel";
import type { Messages } from "./messages.ts";
import type { Place, Places } from "./places.ts";
import type { Me } from "./read-mrkdwn.ts";
import type { WebApi } from "./web-api.ts";
import type { WireMessage } from "./wire.ts";

/** As many as the method takes in a minute: https://docs.slack.dev/apis/web-api/rate-limits, tier 3. */
const maxPlaces = 50;
const maxPages = 5;

interface Page {
  readonly messages?: readonly WireMessage[];
  readonly response_metadata?: { readonly next_cursor?: string };
}

export interface CatchUpNeeds {
  readonly api: WebApi;
  readonly messages: Messages;
  readonly places: Places;
  readonly log: Logger;
}

/** Asks for what was written while no connection was there: Slack sends that to nobody. */
export class CatchUp {
  readonly #needs: CatchUpNeeds;

  constructor(needs: CatchUpNeeds) {
    this.#needs = needs;
  }

  /**
   * Resolves once whatever comes in of known places waits for what was missed there, so that it is answered after it; the
   * work goes on. `fail` is told what could not be put on disk; what Slack refuses is said in the log.
   */
  async begin(me: Me, signal: AbortSignal, fail: (error: unknown) => void): Promise<void> {
    const { places, messages } = this.#needs;
    const held = (await places.list()).slice(0, maxPlaces).map((place) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      messages.hold(place, promise);
      return { place, release: resolve };
    });
    const releaseAll = (): void => held.forEach(({ release }) => release());
    const work = async (): Promise<void> => {
      for (const { place, release } of held) {
        signal.throwIfAborted();
        const missed = await this.#patiently(place, signal, releaseAll);
        await messages.takeMissed(missed, me, signal);
        release();
      }
    };
    void work().catch(fail).finally(releaseAll);
  }

  /** Waits as long as Slack asks, and holds up nobody for that; a place that it does not show any more is left out. */
  async #patiently(
    place: Place,
    signal: AbortSignal,
    releaseAll: () => void,
  ): Promise<readonly WireMessage[]> {
    const { log, places } = this.#needs;
    for (;;) {
      try {
        return await this.#missed(place, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof PlatformFailure)) throw error;
        if (error.afterMs !== undefined) {
          releaseAll();
          await pause(error.afterMs, signal);
          continue;
        }
        if (error.kind === "refused") await places.forget(place);
        log.warn({}, `What was written in ${place.channel} meanwhile is not known: ${error.message}`);
        return [];
      }
    }
  }

  /** In the order in which it was written. */
  async #missed({ channel, thread, ts }: Place, signal: AbortSignal): Promise<readonly WireMessage[]> {
    const method = thread === undefined ? "conversations.history" : "conversations.replies";
    const about = { channel, ...(thread !== undefined && { ts: thread }), oldest: ts, limit: 100 };
    const messages: WireMessage[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const found: Page = await this.#needs.api.call<Page>(method, { ...about, cursor }, { signal });
      messages.push(...(found.messages ?? []));
      cursor = found.response_metadata?.next_cursor;
      if (!cursor) break;
    }
    return messages
      .filter((message) => Number(message.ts) > Number(ts))
      .map((message) => ({ ...message, channel }))
      .toSorted((a, b) => Number(a.ts) - Number(b.ts));
  }
}
