import { errors } from "../contract/codes.ts";
import type { Caller } from "../security/scope.ts";
import type { ToolOrigin } from "../tools/tool-run.ts";
import { directMessage, type InboundMessage } from "./channel.ts";
import { textParts, type Part } from "./content.ts";

/** The person whom a route, a word of the command line, a chat command or a tool acts for. */
export interface ActsFor {
  /** `<channel>:<user_id>` */
  readonly user?: string | undefined;
  readonly caller?: Caller | undefined;
  readonly origin?: ToolOrigin | undefined;
  /** The id of the request. */
  readonly id?: string;
  readonly traceparent?: string | undefined;
  readonly conversation?: { readonly session: string };
}

/**
 * Returns a message in the name of the person whom `run` acts for, through the door that they came
 * in by, and in their conversation if `run` is a chat command's. `run` is whatever a route, a
 * command, a chat command or a tool was handed. Throws MESSAGE_NOBODY if nobody is known by it.
 * `more.session` goes on with a session of {@link Inbox.prompt}, which `more.conversation` does not
 * choose: the session belongs to it. {@link Inbox.call} without a session has that conversation's.
 */
export function messageFrom(
  run: ActsFor,
  said: string | readonly Part[],
  more: Partial<Pick<InboundMessage, "conversation" | "quoted" | "session">> = {},
): InboundMessage {
  const { user, caller, origin, id: trace, traceparent, conversation: control } = run;
  if (user === undefined) throw errors.MESSAGE_NOBODY();
  const [channel = "", ...rest] = user.split(":");
  const { conversation, replyTo, trust = "owner" } = origin ?? {};
  return directMessage({
    channel,
    id: crypto.randomUUID(),
    from: rest.join(":"),
    text: "",
    parts: typeof said === "string" ? textParts(said) : said,
    trust,
    ...(conversation && { conversation }),
    ...(replyTo !== undefined && { replyTo }),
    ...(caller && { caller }),
    ...(trace !== undefined && { trace }),
    ...(traceparent !== undefined && { traceparent }),
    ...(control && { session: control.session }),
    ...more,
  });
}
