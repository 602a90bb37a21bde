import { textParts, type Conversation, type Part } from "@gantry/sdk";
import type { PlatformMessage } from "@gantry/sdk/channel";
import { attachmentsOf, type FileOfMessage } from "./files.ts";
import { isId } from "./snowflake.ts";
import type { WireMessage, WireUser } from "./wire.ts";

const maxName = 80;
/** As much of what is answered as tells which message it was. */
const maxQuoted = 4_000;
/**
 * The types of messages that people write, alone and as an answer:
 * https://docs.discord.com/developers/resources/message#message-object-message-types
 */
const written = new Set([0, 19]);
/** The type of a reference to a message that is passed on, not answered. */
const forwarded = 1;

/** The bot's own identity. */
export interface Me {
  readonly id: string;
  readonly username: string;
}

/** The address of an answer. */
export interface ReplyAddress {
  readonly channel: string;
  /** The server of the channel. */
  readonly guild?: string;
  /** In servers: the message that is answered, so that it is seen whom the answer is for. */
  readonly message?: string;
}

export type DiscordMessage = PlatformMessage<ReplyAddress, FileOfMessage>;

/** Undefined for what no person said: of bots and webhooks, and notices of the platform. */
export function readMessage(message: WireMessage, me: Me): DiscordMessage | undefined {
  const { id, channel_id, guild_id, author, type = 0 } = message;
  if (![id, channel_id, author?.id, guild_id ?? "1"].every(isId)) throw new Error("it has no ids");
  if (author === undefined || author.bot === true || author.system === true) return undefined;
  if (message.webhook_id !== undefined || !written.has(type)) return undefined;
  const { text, quoted } = wordsOf(message, me);
  const files = attachmentsOf(message);
  if (text === "" && files.length === 0 && quoted.length === 0) return undefined;
  return {
    id,
    timestamp: Math.floor((Date.parse(message.timestamp ?? "") || Date.now()) / 1_000),
    sender: { id: author.id, name: nameOf(author, message.member?.nick) },
    conversation: conversationOf(channel_id, guild_id),
    replyTo: {
      channel: channel_id,
      ...(guild_id !== undefined && { guild: guild_id, message: id }),
    },
    text,
    quoted,
    forwarded: message.message_reference?.type === forwarded,
    mentioned: isMentioned(message, me),
    files,
  };
}

/** A thread is a channel of its own at the platform, and so a conversation of its own. */
export function conversationOf(channel: string, guild: string | undefined): Conversation {
  return { id: channel, kind: guild === undefined ? "direct" : "group" };
}

/** True for something that a person wrote in a server and whose words the platform holds back. */
export function isWithoutWords({ guild_id, author, type = 0, ...rest }: WireMessage): boolean {
  const { content = "", attachments, sticker_items, message_snapshots, webhook_id } = rest;
  const isOfPerson = author?.bot !== true && webhook_id === undefined && written.has(type);
  const other = [attachments, sticker_items, message_snapshots].some((list) => (list?.length ?? 0) > 0);
  const special = rest.poll ?? rest.activity;
  return guild_id !== undefined && isOfPerson && content === "" && !other && special === undefined;
}

function nameOf({ global_name, username = "" }: WireUser, nick: string | null | undefined): string {
  const whole = (nick ?? global_name ?? username).replace(/[\s\p{C}]+/gu, " ").trim();
  return (whole || username || "unnamed").slice(0, maxName);
}

interface Words {
  /** The person's own words. */
  readonly text: string;
  /** Parts that they answer or pass on: material. */
  readonly quoted: readonly Part[];
}

function wordsOf(message: WireMessage, me: Me): Words {
  const said = shown(withoutName(textOf(message), me), message.mentions ?? []);
  const snapshots = message.message_snapshots ?? [];
  if (message.message_reference?.type === forwarded) {
    const copies = snapshots.map((snapshot) => textOf(snapshot.message ?? {}).slice(0, maxQuoted));
    const quoted = copies.filter((text) => text !== "").flatMap(textParts);
    return { text: [said, "[forwarded message]"].filter((line) => line !== "").join("\n"), quoted };
  }
  const answered = message.referenced_message;
  const quoted = answered ? shown(textOf(answered), answered.mentions ?? []).slice(0, maxQuoted) : "";
  return {
    text: [said, ...noticesOf(message)].filter((line) => line !== "").join("\n"),
    quoted: quoted === "" ? [] : textParts(quoted),
  };
}

function textOf({ content = "" }: Pick<WireMessage, "content">): string {
  if (typeof content !== "string") throw new Error("its text is none");
  return content;
}

/** Returns notices of what was sent instead of words. */
function noticesOf({ sticker_items = [], poll }: WireMessage): readonly string[] {
  const stickers = sticker_items.map(({ name = "" }) => `[sticker ${name}]`.replace(" ]", "]"));
  const question = poll?.question?.text;
  return question === undefined ? stickers : [...stickers, `[poll: ${question}]`];
}

/** Named, or answered. The names of everybody and of groups of people are not the bot's. */
function isMentioned({ mentions = [], referenced_message: answered, ...rest }: WireMessage, me: Me): boolean {
  const isAnswered = rest.message_reference?.type !== forwarded && answered?.author?.id === me.id;
  return isAnswered || mentions.some(({ id }) => id === me.id);
}

/** The bot's own name at the beginning is its address and no part of what is said. */
function withoutName(text: string, { id }: Me): string {
  return text.replace(new RegExp(`^\\s*<@!?${id}>[\\s,:]*`), "");
}

/** Names instead of ids: what people see. */
function shown(text: string, mentions: readonly WireUser[]): string {
  const names = new Map(mentions.map((user) => [user.id, nameOf(user, undefined)]));
  return text
    .replace(/<@!?(\d{1,20})>/g, (whole, id: string) => (names.has(id) ? `@${names.get(id)}` : whole))
    .replace(/<a?(:\w{1,40}:)\d{1,20}>/g, "$1");
}
