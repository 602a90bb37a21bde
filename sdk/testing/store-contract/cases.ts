import { textParts } from "../../index.ts";
import assert from "node:assert/strict";
import { directMessage, type InboundMessage } from "../../messages/channel.ts";
import type { ChatMessage } from "../../models/provider.ts";
import type { Claim } from "../../store/lanes.ts";
import type { Store } from "../../store/store.ts";
import type { OpenedStore, Passing } from "./opened.ts";

type Check<Opened> = (opened: Opened) => Promise<void>;

/** A case that lets time pass. */
export interface TimedCase {
  readonly timed: Check<OpenedStore & Passing>;
}

export type Cases = Readonly<Record<string, Check<OpenedStore> | TimedCase>>;

export function timed(check: TimedCase["timed"]): TimedCase {
  return { timed: check };
}

/** Long enough that no test outlives it. */
export const LEASE = 60_000;

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

/** Claims, and fails if there is nothing to claim. */
export async function claimed(store: Store, leaseMs: number = LEASE): Promise<Claim> {
  const [claim] = await store.lanes.claim(1, leaseMs);
  assert.ok(claim, "nothing to claim");
  return claim;
}

/** Fails if there is anything to claim. */
export async function noneToClaim({ lanes }: Store, why?: string): Promise<void> {
  assert.deepEqual(await lanes.claim(1, LEASE), [], why);
}

/** The store's clock goes on while a case runs: a time is right within a second. */
export function near(ms: number | undefined, expected: number): void {
  assert.ok(ms !== undefined && Math.abs(ms - expected) < 1_000, `${ms} is not about ${expected}`);
}

/** Asserts the result of a call by a worker that lost its lane. */
export async function isLost(call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, { code: "LEASE_LOST" });
}
