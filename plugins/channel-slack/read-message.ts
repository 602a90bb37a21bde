import { textParts, type Conversation, type Part } from "@gantry/sdk";
import type { PlatformMessage } from "@gantry/sdk/channel";
import { isChannel, isTs, type SlackAddress } from "./address.ts";
import { isNamed, readMrkdwn, withoutName, type Me } from "./read-mrkdwn.ts";
import type { WireAttachment, WireFile, WireMessage } from "./wire.ts";

/**
 * Messages that a person has written: a plain one, one with files, one that is sent to the channel
 * from its thread.
 */
const written = new Set([undefined, "file_share", "thread_broadcast"]);
const maxQuoted = 4_096;
const maxName = 80;

type ReplyAddress = SlackAddress & { readonly message: string };

export interface SlackMessage extends PlatformMessage<ReplyAddress, WireFile> {
  readonly ts: string;
}

/** Undefined for what no person wrote: of apps and of Slack itself, edits, joins, topics. */
export function readMessage(
  message: WireMessage,
  me: Me,
  { replyInThread }: { readonly replyInThread: boolean },
): SlackMessage | undefined {
  const { type, subtype, channel, ts, user, bot_id, text: raw = "" } = message;
  if (type !== "message" && type !== "app_mention") return undefined;
  if (!written.has(subtype) || bot_id !== undefined || user === me.userId || user === "USLACKBOT")
    return undefined;
  if (!isChannel(channel) || !isTs(ts) || typeof user !== "string") throw new Error("it has no ids");
  if (typeof raw !== "string") throw new Error("its text is none");

  const files = Array.isArray(message.files) ? message.files.filter(isFile) : [];
  const quoted = quotedOf(message.attachments ?? []);
  const text = readMrkdwn(withoutName(raw, me)).trim();
  if (text === "" && files.length === 0 && quoted.length === 0) return undefined;
  const isAnswer = message.parent_user_id === me.userId;
  const conversation = conversationOf(message, replyInThread);
  return {
    id: `${channel}:${ts}`,
    ts,
    timestamp: Math.floor(Number(ts)),
    sender: { id: user },
    conversation,
    replyTo: {
      channel,
      ...(conversation.thread !== undefined && { thread: conversation.thread }),
      message: ts,
    },
    // Words of others alone are not a request of their sender's.
    text: text === "" && files.length === 0 ? "[shared message]" : text,
    quoted,
    forwarded: files.some((file) => file.user !== undefined && file.user !== user),
    mentioned: type === "app_mention" || isNamed(raw, me) || isAnswer,
    files,
  };
}

/**
 * A thread of a channel is a conversation of its own, also one that the answer will begin; a direct
 * message has none.
 */
export function conversationOf(
  { channel, ts, thread_ts }: Pick<WireMessage, "channel" | "ts" | "thread_ts">,
  replyInThread: boolean,
): Conversation {
  const isDirect = channel.startsWith("D");
  const thread = thread_ts ?? (replyInThread && !isDirect ? ts : undefined);
  return {
    id: channel,
    kind: isDirect ? "direct" : "group",
    ...(thread !== undefined && !isDirect && { thread }),
  };
}

/** Returns what was shared with the message; the preview of a link is nobody's words. */
function quotedOf(attachments: readonly WireAttachment[]): readonly Part[] {
  if (!Array.isArray(attachments)) return [];
  return attachments.flatMap(({ author_name, text, fallback }) => {
    const words = text ?? fallback;
    if (typeof words !== "string" || words.trim() === "") return [];
    const who =
      typeof author_name === "string"
        ? `${author_name.replace(/[\s\p{C}]+/gu, " ").slice(0, maxName)}: `
        : "";
    return textParts(`${who}${readMrkdwn(words)}`.slice(0, maxQuoted));
  });
}

function isFile(file: unknown): file is WireFile {
  return typeof (file as WireFile | null)?.id === "string";
}
