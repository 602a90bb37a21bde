import type { Json } from "@gantry/sdk";
import { isId } from "./snowflake.ts";
import type { ReplyAddress } from "./read-message.ts";

/** A flag of a message: no preview of its links, for which the platform would fetch them. */
const withoutPreview = 1 << 2;

/** Undefined for what is no address of this channel. */
export function readAddress(to: Json): ReplyAddress | undefined {
  if (typeof to === "string") return readAddress({ channel: to });
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
