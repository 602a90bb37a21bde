import type { Json } from "@gantry/sdk";

/** The address of a chat, as the Bot API's methods take it. */
export interface ChatAddress {
  readonly chat_id: number;
  readonly message_thread_id?: number;
  readonly reply_parameters?: { readonly message_id: number; readonly allow_sending_without_reply: true };
}

/** Of every text: a platform that fetches links would tell others that they were written. */
export const withoutPreview = { link_preview_options: { is_disabled: true } };

/** Undefined for what is no address of this channel. */
export function readAddress(to: Json): ChatAddress | undefined {
  if (typeof to === "string" && /^-?\d{1,16}$/.test(to)) return readAddress({ chat: Number(to) });
  if (typeof to !== "object" || to === null || Array.isArray(to)) return undefined;
  const { chat, thread, message } = to as { readonly [key: string]: Json };
  const ids = [chat, thread ?? 0, message ?? 0];
  if (!ids.every((id) => Number.isSafeInteger(id)) || chat === 0) return undefined;
  return {
    chat_id: chat as number,
    ...(thread !== undefined && { message_thread_id: thread as number }),
    ...(message !== undefined && {
      reply_parameters: { message_id: message as number, allow_sending_without_reply: true },
    }),
  };
}

/** The chat alone: only the first message of an answer quotes the question. */
export function withoutQuote({ chat_id, message_thread_id }: ChatAddress): ChatAddress {
  return message_thread_id === undefined ? { chat_id } : { chat_id, message_thread_id };
}
