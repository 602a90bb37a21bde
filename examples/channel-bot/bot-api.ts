import type { Upstream } from "@gantry/sdk";
import { PlatformCalls, PlatformFailure, scrubber, type PlatformMessage } from "@gantry/sdk/channel";

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

/** The address of an answer. */
export interface Place {
  readonly chat: number;
  readonly topic?: number;
}

export type BotMessage = PlatformMessage<Place, never>;
export type Call = <T>(method: string, body: object, signal: AbortSignal) => Promise<T>;

/**
 * Calls methods of the platform; `address` may throw. Every failure is a {@link PlatformFailure}.
 */
export function botApi(address: () => string, token: string, upstream: Upstream): Call {
  const scrub = scrubber([token]);
  const calls = new PlatformCalls(upstream, { scrub });
  return <T>(method: string, body: object, signal: AbortSignal) => {
    const make = () => ({ url: `${address()}/bot${token}/${method}`, body, signal, timeoutMs: 60_000 });
    return calls.call(make, ({ status, body: answer }): T => {
      const { ok, result, description = "", parameters } = Object(answer) as Answer;
      if (ok === true) return result as T;
      throw failureOf(status, scrub(`${status} ${description}`), parameters?.retry_after);
    });
  };
}

interface Answer {
  readonly ok?: boolean;
  readonly result?: unknown;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
}

/** Returns the meaning of a refusal; the sentence holds no token. */
function failureOf(status: number, sentence: string, seconds: number | undefined): PlatformFailure {
  const kinds = { 400: "form", 401: "account", 403: "refused", 429: "rate" } as const;
  const kind = kinds[status as keyof typeof kinds] ?? "again";
  return new PlatformFailure(kind, sentence, seconds === undefined ? undefined : seconds * 1_000);
}

/** Returns the conversation of a message: a topic of a group is a conversation of its own. */
export function conversationOf({ chat, message_thread_id: topic }: Message): BotMessage["conversation"] {
  const thread = topic === undefined ? {} : { thread: String(topic) };
  return { id: String(chat.id), kind: chat.type === "private" ? "direct" : "group", ...thread };
}

/** Returns the message of an update; undefined for what is not one, or is a bot's. */
export function readMessage({ message }: Update, name: string): BotMessage | undefined {
  const { from, text, chat, message_id, date, message_thread_id: topic } = message ?? {};
  if (message === undefined || from === undefined || from.is_bot === true || !text || !chat) return undefined;
  const mentioned = text.startsWith(`@${name} `);
  return {
    id: `${chat.id}-${message_id}`,
    timestamp: date ?? 0,
    sender: { id: String(from.id), ...(from.first_name !== undefined && { name: from.first_name }) },
    conversation: conversationOf(message),
    replyTo: { chat: chat.id, ...(topic !== undefined && { topic }) },
    text: mentioned ? text.slice(name.length + 2) : text,
    quoted: [],
    mentioned,
    files: [],
  };
}
