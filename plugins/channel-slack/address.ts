import type { Json } from "@gantry/sdk";

/** The address of an answer, and the message that it answers. */
export interface SlackAddress {
  readonly channel: string;
  /** The message on which the thread hangs; undefined: the channel itself. */
  readonly thread?: string;
  readonly message?: string;
}

const channelForm = /^[CDG][A-Z0-9]{2,20}$/;
const tsForm = /^\d{1,12}\.\d{6}$/;

export function isChannel(id: unknown): id is string {
  return typeof id === "string" && channelForm.test(id);
}

/** A message's time, which is its name within a channel: `1700000000.000100`. */
export function isTs(ts: unknown): ts is string {
  return typeof ts === "string" && tsForm.test(ts);
}

/** Returns the address, or undefined for what is not an address of this channel. */
export function readAddress(to: Json): SlackAddress | undefined {
  if (typeof to === "string") return readAddress({ channel: to });
  if (typeof to !== "object" || to === null || Array.isArray(to)) return undefined;
  const { channel, thread, message } = to as { readonly [key: string]: Json };
  if (!isChannel(channel)) return undefined;
  if (![thread, message].every((ts) => ts === undefined || isTs(ts))) return undefined;
  return {
    channel,
    ...(thread !== undefined && { thread: thread as string }),
    ...(message !== undefined && { message: message as string }),
  };
}

/** As the methods that post take it. */
export function placeOf({ channel, thread }: SlackAddress): { channel: string; thread_ts?: string } {
  return { channel, ...(thread !== undefined && { thread_ts: thread }) };
}
