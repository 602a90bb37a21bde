import {
  Channels,
  isVerbatim,
  Store,
  textOf,
  verbatimParts,
  type Awaitable,
  type InboundMessage,
  type Outbox as OutboxSlot,
  type ServiceMessage,
} from "@gantry/sdk";
import { noticeFor, type Notice } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import type { Audit } from "../record/audit.ts";
import type { Redaction } from "../record/redaction.ts";
import type { Registry } from "../plugins/registry.ts";
import { after, asError, withTimeout } from "@gantry/sdk/node";
import { storeOf } from "./store-of.ts";
import type { Delivery } from "./delivery.ts";

export interface OutboxDeps {
  readonly registry: Registry;
  readonly redaction: Redaction;
  readonly audit: Audit;
  readonly delivery: Delivery;
}

const sendMs = 30_000;
/** What may go unkept waits no longer for the disk. */
const keepMs = 5_000;

/** Messages of the service itself: redacted, recorded, kept on disk until they are sent. */
export class Outbox implements OutboxSlot {
  readonly #deps: OutboxDeps;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  async send(message: ServiceMessage): Promise<"accepted" | "duplicate"> {
    const { registry } = this.#deps;
    const store = storeOf(registry);
    if (!registry.get(Channels)?.has(message.channel))
      throw errors.OUTBOX_NO_CHANNEL(message.key, message.channel);
    const notice = await this.#notice(message);
    const kept = this.#keep(store, notice, message);
    if (message.evenUnkept !== true) return kept;
    try {
      return await withTimeout(keepMs, kept, () => new Error("the store does not answer"));
    } catch (error) {
      return this.#sendUnkept(notice, message.key, asError(error));
    }
  }

  async #keep(store: Store, notice: Notice, message: ServiceMessage): Promise<"accepted" | "duplicate"> {
    await this.#deps.audit.record({
      event_type: "service_message",
      tool: "",
      args: { key: message.key, text: notice.reply },
      result: "accepted",
      user: `${message.channel}:${message.conversation.id}`,
      session_id: message.key,
    });
    return (await store.lanes.post(notice)) ? "accepted" : "duplicate";
  }

  /** Throws what kept it from the disk where the channel does not take it either. */
  async #sendUnkept(notice: Notice, key: string, cause: Error): Promise<"accepted"> {
    const sent = await this.#deps.delivery.notify(notice, key, AbortSignal.timeout(sendMs));
    if (sent.status !== "sent") throw cause;
    return "accepted";
  }

  /**
   * What the sender of a message is told beside an answer, or in place of one, sign by sign; `about` is told once for this
   * message.
   */
  notice(message: InboundMessage, about: string, text: string): Awaitable<Notice> {
    const { channel, conversation, replyTo, id } = message;
    const parts = verbatimParts(text);
    return this.#notice({ channel, conversation, to: replyTo, parts, key: `${about}:${id}` });
  }

  #notice({ channel, conversation, to, parts, key }: ServiceMessage): Awaitable<Notice> {
    const at = { channel, conversation, replyTo: to };
    const clean = this.#deps.redaction.text(textOf(parts));
    return after(clean, (reply) => noticeFor(at, key, reply, isVerbatim(parts)));
  }
}
