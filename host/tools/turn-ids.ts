import { hash, randomBytes } from "node:crypto";
import { readTraceparent } from "@gantry/sdk/fill";
import type { InboundMessage } from "@gantry/sdk";

/** How a turn is told from all others, and from what it came. */
export interface TurnIds {
  /** 16 hex digits, also the span of the turn in its trace. */
  readonly turn: string;
  /** A `traceparent` for whatever the turn causes. */
  readonly trace: string;
  /** The span of the turn around it, or that came with its message. */
  readonly parent?: string;
}

/**
 * Makes the ids of a turn. Its trace is the one of the turn around it or the one that came with its message; else it follows
 * from the message's own id, so that another process that tries the message again goes on with the same trace.
 */
export function turnIds(message: InboundMessage, outer: TurnIds | undefined): TurnIds {
  const turn = randomBytes(8).toString("hex");
  const given = readTraceparent(outer ? outer.trace : message.traceparent);
  if (given) {
    const { traceId, spanId, flags } = given;
    return { turn, trace: `00-${traceId}-${turn}-${flags}`, parent: spanId };
  }
  const traceId = hash("sha256", `${message.channel} ${message.id}`, "hex").slice(0, 32);
  return { turn, trace: `00-${traceId}-${turn}-01` };
}
