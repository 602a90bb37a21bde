import type { Awaitable } from "../contract/awaitable.ts";
import { having } from "../contract/shape.ts";
import type { InboundMessage } from "./channel.ts";
import type { Conversation } from "./conversation.ts";
import type { Json, Part } from "./content.ts";
import { one } from "../contract/slot.ts";

/** A message that answers nobody: an alert, a reminder, a notice. */
export interface ServiceMessage {
  readonly channel: string;
  readonly conversation: Conversation;
  /** The `replyTo` of an earlier message of that conversation, or an address that the channel knows. */
  readonly to: Json;
  readonly parts: readonly Part[];
  /** What was said under a key is not said again. */
  readonly key: string;
  /**
   * Where it cannot be kept on disk in 5 s, as that is what it tells of, it is sent at once, and not tried again; twice where
   * a disk that hung keeps it after all.
   */
  readonly evenUnkept?: boolean;
}

/** The one way out for messages of the service itself: redacted, audited, kept on disk until sent; filled by the host. */
export interface Outbox {
  /**
   * Resolves once it is on disk, or sent where it may go unkept. Throws OUTBOX_NO_CHANNEL where no channel of that name is
   * loaded, as for whoever wrote over HTTP: nothing would ever take it.
   */
  send(message: ServiceMessage): Promise<"accepted" | "duplicate">;
}
export const Outbox = one<Outbox>("outbox");

/** A conversation, and the address that what is sent there takes. */
export type Door = Pick<InboundMessage, "channel" | "conversation" | "replyTo">;

/** Knows where owners can be reached alone. */
export interface OwnerDoors {
  /** The direct conversation in which an owner wrote last in this channel; undefined if none did. */
  door(channel: string): Awaitable<Door | undefined>;
}
export const OwnerDoors = one<OwnerDoors>("owner-doors", having("door"));
