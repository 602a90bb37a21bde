import { textParts, type InboundMessage, type Trust, type Upstream } from "@gantry/sdk";
import { PlatformFailure, reach, scrubber } from "@gantry/sdk/channel";

/** The part of an update that is read; it comes from outside. */
export interface Update {
  readonly update_id: number;
  readonly message?: Message;
  readonly callback_query?: {
    readonly id: string;
    readonly from: { readonly id: number };
    readonly data?: string;
    readonly message?: Message;
  };
}

export interface Message {
  readonly message_id: number;
  readonly date: number;
  readonly chat: { readonly id: number; readonly type: string; readonly title?: string };
  readonly from?: { readonly id: number; readonly is_bot?: boolean; readonly first_name?: string };
  readonly message_thread_id?: number;
  readonly text?: string;
}

/** Returns the meaning of a refusal; the sentence holds no token. */
function failureOf(status: number, sentence: string, seconds: number | undefined): PlatformFailure {
  const afterMs = seconds === undefined ? undefined : seconds * 1_000;
  if (status === 401) return new PlatformFailure("account", sentence);
  if (status === 400) return new PlatformFailure("form", sentence);
  if (status === 403) return new PlatformFailure("refused", sentence);
  return new PlatformFailure(status === 429 ? "rate" : "again", sentence, afterMs);
}

export type Call = <T>(method: string, body: object, signal: AbortSignal) => Promise<T>;

/**
 * Calls methods of the platform; `address` may throw. Every failure is a {@link PlatformFailure}.
 */
export function botApi(address: () => string, token: string, upstream: Upstream): Call {
  const scrub = scrubber([token]);
  return (method, body, signal) => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body), signal, timeoutMs: 60_000 };
    const call = async () => {
      const response = await upstream.fetch({ url: `${address()}/bot${token}/${method}`, ...request });
      const answer = (await response.json()) as Answer;
      if (answer.ok === true) return answer.result as never;
      const { description = "", parameters } = answer;
      throw failureOf(response.status, scrub(`${response.status} ${description}`), parameters?.retry_after);
    };
    return reach(call, { scrub });
  };
}

interface Answer {
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
}

/** Returns the conversation of a message: a topic of a group is a conversation of its own. */
export function conversationOf({ chat, message_thread_id: topic }: Message): InboundMessage["conversation"] {
  const thread = topic === undefined ? {} : { thread: String(topic) };
  return { id: String(chat.id), kind: chat.type === "private" ? "direct" : "group", ...thread };
}

/** The message of an update; undefined for what is none, or a bot's. */
export function readMessage({ message }: Update, name: string, trust: Trust): InboundMessage | undefined {
  const { from, text, chat, message_id, date, message_thread_id: topic = null } = message ?? {};
  if (message === undefined || from === undefined || from.is_bot === true || !text || !chat) return undefined;
  const called = text.startsWith(`@${name} `);
  return {
    channel: "bot",
    id: `${chat.id}-${message_id}`,
    timestamp: date ?? 0,
    sender: { id: String(from.id), ...(from.first_name !== undefined && { name: from.first_name }) },
    conversation: conversationOf(message),
    replyTo: { chat: chat.id, topic },
    parts: textParts(called ? text.slice(name.length + 2) : text),
    mentioned: called,
    trust,
  };
}
