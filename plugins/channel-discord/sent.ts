import type { Json, Sent } from "@gantry/sdk";
import { DiscordFailure } from "./failure.ts";
import { isId } from "./snowflake.ts";
import type { ReplyAddress } from "./read-message.ts";

/** A flag of a message: no preview of its links, for which the platform would fetch them. */
const withoutPreview = 1 << 2;

/** Undefined for what is no address of this channel. */
export function readAddress(to: Json): ReplyAddress | undefined {
  if (typeof to !== "object" || to === null || Array.isArray(to)) return undefined;
  const { channel, guild, message } = to as { readonly [key: string]: Json };
  if (!isId(channel) || !isId(guild ?? "1") || !isId(message ?? "1")) return undefined;
  return {
    channel,
    ...(guild !== undefined && { guild: guild as string }),
    ...(message !== undefined && { message: message as string }),
  };
}

/** A message as the platform takes it: nobody is pinged whatever it says, and sent twice it is one. */
export function bodyOf(content: string, nonce: string, answers?: string): object {
  return {
    content,
    nonce,
    enforce_nonce: true,
    flags: withoutPreview,
    allowed_mentions: { parse: [] },
    ...(answers !== undefined && {
      message_reference: { message_id: answers, fail_if_not_exists: false },
    }),
  };
}

/** What a call came to, in the host's words. Never throws. */
export async function sentOf(call: () => Promise<string>): Promise<Sent> {
  try {
    return { status: "sent", id: await call() };
  } catch (error) {
    if (!(error instanceof DiscordFailure)) return { status: "retry", reason: String(error) };
    const { kind, message: reason, afterMs } = error;
    if (kind === "account" || kind === "away") return { status: "retry", reason, scope: "channel" };
    if (kind === "paused" && afterMs !== undefined)
      return { status: "retry", reason, scope: "channel", afterMs };
    if (kind === "rate" && afterMs !== undefined) return { status: "retry", reason, afterMs };
    return { status: kind === "again" ? "retry" : "refused", reason };
  }
}
