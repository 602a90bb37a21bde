import { textParts, type Conversation, type Part } from "@gantry/sdk";
import type { PlatformMessage } from "@gantry/sdk/channel";
import { attachmentsOf, type FileOfMessage } from "./files.ts";
import type { WireEntity, WireMessage, WireUser } from "./wire.ts";

const maxName = 80;
/** The words that the platform's button sends for a person who opens the chat with the bot. */
const firstContact = /^\/start(?:\s.*)?$/s;
/** As much of what is answered as tells which message it was. */
const maxQuoted = 4_096;

/** The bot's own identity. */
export interface Me {
  readonly id: number;
  readonly username: string;
}

/** The address of an answer. */
export interface ReplyAddress {
  readonly chat: number;
  readonly thread?: number;
  /** In groups: the message that is answered, so that it is seen whom the answer is for. */
  readonly message?: number;
}

export interface TelegramMessage extends PlatformMessage<ReplyAddress, FileOfMessage> {
  /** The same for pictures that were sent together. */
  readonly album: string | undefined;
}

/**
 * Undefined for what no person said: of bots, channels and anonymous administrators, and notices of
 * the platform.
 */
export function readMessage(message: WireMessage, me: Me): TelegramMessage | undefined {
  const { chat, from, message_id } = message;
  if (![chat?.id, from?.id, message_id].every(Number.isSafeInteger)) throw new Error("it has no ids");
  if (from === undefined || from.is_bot === true || message.sender_chat || chat.type === "channel")
    return undefined;
  const { text, quoted } = wordsOf(message, me);
  const files = attachmentsOf(message);
  if (text === "" && files.length === 0 && quoted.length === 0) return undefined;
  return {
    id: `${chat.id}:${message_id}`,
    timestamp: message.date,
    sender: { id: String(from.id), name: nameOf(from) },
    conversation: conversationOf(message),
    replyTo: addressOf(message),
    text,
    quoted,
    forwarded: message.forward_origin !== undefined,
    mentioned: isMentioned(message, me),
    files,
    album: message.media_group_id,
  };
}

/** A topic of a forum is a conversation of its own; a thread of answers in a plain group is not. */
export function conversationOf({ chat, message_thread_id, is_topic_message }: WireMessage): Conversation {
  const isTopic = is_topic_message === true && message_thread_id !== undefined;
  return {
    id: String(chat.id),
    kind: chat.type === "private" ? "direct" : "group",
    ...(isTopic && { thread: String(message_thread_id) }),
    ...(chat.title !== undefined && { title: chat.title.slice(0, maxName) }),
  };
}

export function addressOf({
  chat,
  message_id,
  message_thread_id,
  is_topic_message,
}: WireMessage): ReplyAddress {
  const isTopic = is_topic_message === true && message_thread_id !== undefined;
  return {
    chat: chat.id,
    ...(isTopic && { thread: message_thread_id }),
    ...(chat.type !== "private" && { message: message_id }),
  };
}

function nameOf({ first_name = "", last_name = "", username = "" }: WireUser): string {
  const whole = `${first_name} ${last_name}`.replace(/[\s\p{C}]+/gu, " ").trim();
  return (whole || username || "unnamed").slice(0, maxName);
}

interface Words {
  /** The person's own words. */
  readonly text: string;
  /** Parts that they answer, pass on or hand over: material. */
  readonly quoted: readonly Part[];
}

function wordsOf(message: WireMessage, me: Me): Words {
  const said = textOf(message);
  const named = withoutName(said, message.entities ?? message.caption_entities ?? [], me);
  const text = named.replace(firstContact, "/help");
  if (message.forward_origin !== undefined)
    return { text: "[forwarded message]", quoted: said === "" ? [] : textParts(said) };
  return {
    text: [text, ...noticesOf(message)].filter((line) => line !== "").join("\n"),
    quoted: quotedOf(message),
  };
}

function textOf({ text, caption }: WireMessage): string {
  const said = text ?? caption ?? "";
  if (typeof said !== "string") throw new Error("its text is none");
  return said;
}

function quotedOf({ reply_to_message: answered, quote, contact }: WireMessage): readonly Part[] {
  const isTopicStart = answered?.forum_topic_created !== undefined;
  const words = quote?.text ?? (answered === undefined || isTopicStart ? "" : textOf(answered));
  const handed = contact === undefined ? "" : `[contact: ${contact.first_name}, ${contact.phone_number}]`;
  return [words.slice(0, maxQuoted), handed].filter((text) => text !== "").flatMap(textParts);
}

/** Returns notices of what was sent instead of words. */
function noticesOf({ sticker, location }: WireMessage): readonly string[] {
  const notices: string[] = [];
  if (sticker !== undefined) notices.push(`[sticker ${sticker.emoji ?? ""}]`.replace(" ]", "]"));
  if (location !== undefined) notices.push(`[location: ${location.latitude}, ${location.longitude}]`);
  return notices;
}

/** Named, answered, or given a command with its name. */
function isMentioned(message: WireMessage, me: Me): boolean {
  const { reply_to_message: answered } = message;
  if (answered?.from?.id === me.id && answered.forum_topic_created === undefined) return true;
  const text = textOf(message);
  return (message.entities ?? message.caption_entities ?? []).some((entity) => isName(entity, text, me));
}

function isName({ type, offset, length, user }: WireEntity, text: string, { id, username }: Me): boolean {
  if (type === "text_mention") return user?.id === id;
  const word = text.slice(offset, offset + length).toLowerCase();
  const name = `@${username.toLowerCase()}`;
  return type === "mention" ? word === name : type === "bot_command" && word.endsWith(name);
}

/**
 * The bot's own name at the beginning is its address and no part of what is said; `/help@name` is
 * `/help`.
 */
function withoutName(text: string, entities: readonly WireEntity[], me: Me): string {
  const first = entities.find(({ offset }) => offset === 0);
  if (first === undefined || !isName(first, text, me)) return text;
  const rest = text.slice(first.length);
  if (first.type === "bot_command") return text.slice(0, first.length - me.username.length - 1) + rest;
  return rest.replace(/^[\s,:]+/, "");
}
