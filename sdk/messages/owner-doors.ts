import type { Awaitable } from "../contract/awaitable.ts";
import { having } from "../contract/shape.ts";
import { one } from "../contract/slot.ts";
import type { InboundMessage } from "./channel.ts";

/** A conversation, and the address that what is sent there takes. */
export type Door = Pick<InboundMessage, "channel" | "conversation" | "replyTo">;

/** Knows where owners can be reached alone. */
export interface OwnerDoors {
  /** The direct conversation in which an owner wrote last in this channel; undefined if none did. */
  door(channel: string): Awaitable<Door | undefined>;
}
export const OwnerDoors = one<OwnerDoors>("owner-doors", having("door"));
