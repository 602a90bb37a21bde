import type { InboundMessage } from "../messages/channel.ts";
import type { Inbox, Receipt } from "../messages/inbox.ts";
import { pause } from "./pause.ts";

const againMs = 5_000;

/**
 * Hands messages in and waits while the inbox is full, so that the platform may be told that it
 * need not keep them. Throws what the inbox throws, and the reason of `signal` if it is aborted
 * while it waits.
 */
export async function receiveAll(
  inbox: Inbox,
  messages: readonly InboundMessage[],
  signal: AbortSignal,
): Promise<readonly Receipt[]> {
  for (;;) {
    const receipts = await inbox.receive(messages);
    if (!receipts.includes("full")) return receipts;
    await pause(againMs, signal);
    signal.throwIfAborted();
  }
}
