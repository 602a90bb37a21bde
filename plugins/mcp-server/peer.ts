import { randomUUID } from "node:crypto";
import { directMessage, type Caller, type InboundMessage } from "@gantry/sdk";
import { laneOf, type Decider } from "@gantry/sdk/fill";

const channel = "mcp";

/** The speaker to the server: a paired device, or the program that has started it. */
export interface Peer {
  /** Nothing that one peer has begun is reached by another. */
  readonly id: string;
  readonly caller?: Caller | undefined;
  readonly trace?: string;
  readonly traceparent?: string | undefined;
}

/**
 * Returns true if questions about calls may be put to the client: only to one that may decide them.
 */
export function mayDecide({ caller }: Peer): boolean {
  return caller === undefined || caller.may.includes("decide");
}

/** Returns who decides when the client answers. */
export function deciderOf({ id, caller }: Peer): Decider {
  return { user: `${channel}:${id}`, ...(caller && { caller }) };
}

/** Returns the words of a peer in a conversation of its own. */
export function messageOf(peer: Peer, text: string, conversation: string): InboundMessage {
  const { id, caller, trace, traceparent } = peer;
  const place = { id: `${id}:${conversation}`, kind: "direct" } as const;
  return directMessage({
    channel,
    id: randomUUID(),
    from: id,
    text,
    trust: "owner",
    conversation: place,
    session: laneOf({ channel, conversation: place }),
    ...(caller && { caller }),
    ...(trace !== undefined && { trace }),
    ...(traceparent !== undefined && { traceparent }),
  });
}
