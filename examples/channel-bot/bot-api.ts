import { textParts, type InboundMessage, type Sent, type Trust, type Upstream } from "@gantry/sdk";
import { scrubber, type Trouble } from "@gantry/sdk/channel";

/** What of an update is read; it comes from outside. */
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

/** The platform said no; the message is a sentence without the token. */
export class BotFailure extends Error {
  readonly sent: Exclude<Sent, { status: "sent" }>;
  readonly trouble: Trouble;
  /** The form of a text was not understood. */
  readonly isForm: boolean;

  constructor(status: number, reason: string, seconds: number | undefined) {
    super(reason);
    const refused = status === 401;
    const afterMs = seconds === undefined ? {} : { afterMs: seconds * 1_000 };
    if (status === 400 || status === 403) this.sent = { status: "refused", reason };
    else this.sent = { status: "retry", reason, ...afterMs, ...(refused && { scope: "channel" }) };
    this.isForm = status === 400;
    this.trouble = { reason, refused, ...afterMs };
  }
}

export type Call = <T>(method: string, body: object, signal: AbortSignal) => Promise<T>;

/** Calls methods of the platform; `address` may throw. Every failure is a {@link BotFailure}. */
export function botApi(address: () => string, token: string, upstream: Upstream): Call {
  const clean = scrubber([token]);
  return async (method, body, signal) => {
    const url = `${address()}/bot${token}/${method}`;
    const request = { url, method: "POST", body: JSON.stringify(body), signal, timeoutMs: 60_000 };
    const headers = { "content-type": "application/json" };
    try {
      const answer = await upstream.fetch({ ...request, headers });
      const {
        ok,
        result,
        description = "",
        parameters,
      } = (await answer.json()) as {
        readonly ok?: boolean;
        readonly result?: never;
        readonly description?: string;
        readonly parameters?: { readonly retry_after?: number };
      };
      if (ok === true) return result as never;
      throw new BotFailure(answer.status, clean(`${answer.status} ${description}`), parameters?.retry_after);
    } catch (error) {
      throw error instanceof BotFailure ? error : new BotFailure(0, clean(String(error)), undefined);
    }
  };
}

/** Where a message stands: a topic of a group is a conversation of its own. */
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
