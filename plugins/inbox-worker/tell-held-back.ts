import { laneOf, noticeId, type ClaimedMessages } from "@gantry/sdk/fill";
import type { Logger } from "@gantry/sdk";
import { isHeldBack } from "./suspects.ts";
import { told } from "./told.ts";

/** Whoever wrote it less long ago may be answered before they would read why they are not. */
const silenceMs = 60_000;
/** Messages that are looked at, the oldest first. */
const most = 500;

interface Deps {
  readonly messages: ClaimedMessages;
  readonly log: Logger;
}

/**
 * Tells once each person whose message is held back, since it waits for as long as no process lives
 * for a while. Call it when a process starts.
 */
export async function tellHeldBack({ messages, log }: Deps): Promise<void> {
  const { lanes } = messages;
  for (const { number, id, accepted, begun } of await lanes.page("waiting", most)) {
    const isRecent = Date.now() - Date.parse(accepted) < silenceMs;
    if (!isHeldBack(begun) || isRecent || id.startsWith(noticeId)) continue;
    const message = (await lanes.read(number))?.message;
    if (!message) continue;
    const reason = `the service ended ${begun} times while it was worked on`;
    const notice = await messages.notice(message, "held", told.held(message, reason));
    if (await lanes.post(notice))
      log.error(
        { lane: laneOf(message), id },
        `A message is held back until the service has run for a while: ${reason}`,
      );
  }
}
