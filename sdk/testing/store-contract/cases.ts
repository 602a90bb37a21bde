import { textParts } from "../../index.ts";
import assert from "node:assert/strict";
import { directMessage, type InboundMessage } from "../../channel.ts";
import type { ChatMessage } from "../../provider.ts";
import type { Claim } from "../../lanes.ts";
import type { Store } from "../../store.ts";
import type { OpenedStore } from "./opened.ts";

export type Cases = Readonly<Record<string, (opened: OpenedStore) => Promise<void>>>;

/** Long enough that no test outlives it. */
export const LEASE = 60_000;
export const NOW = 1_800_000_000_000;

export function message(sender: string, id: string, text: string = `text of ${id}`): InboundMessage {
  return directMessage({ channel: "test", id, from: sender, text, timestamp: 1_800_000_000 });
}

export function turn(number: number): readonly ChatMessage[] {
  return [
    { role: "user", parts: textParts(`question ${number}`) },
    {
      role: "assistant",
      parts: textParts(""),
      toolCalls: [{ id: `call-${number}`, name: "clock", args: "{}" }],
    },
    { role: "tool", callId: `call-${number}`, name: "clock", parts: textParts("noon"), failed: false },
    { role: "assistant", parts: textParts(`answer ${number}`), toolCalls: [] },
  ];
}

/** Claims, and fails where there is nothing to claim. */
export async function claimed(
  store: Store,
  holder: string,
  now: number = NOW,
  leaseMs: number = LEASE,
): Promise<Claim> {
  const claim = await store.lanes.claim(holder, leaseMs, now);
  assert.ok(claim, `nothing to claim for ${holder}`);
  return claim;
}
