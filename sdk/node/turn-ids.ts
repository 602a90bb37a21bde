import { hash, randomBytes } from "node:crypto";
import type { InboundMessage } from "../messages/channel.ts";
import { readTraceparent, type TraceParent } from "../turns/traceparent.ts";

/** The ids that tell a turn from all others, and the one it came from. */
export interface TurnIds {
  /** 16 hex digits, also the span of the turn in its trace. */
  readonly turn: string;
  /** A `traceparent` for whatever the turn causes. */
  readonly trace: string;
  /** Names the message that the outermost turn answers, the same in every process that tries it. */
  readonly message: string;
  /** The span of the turn around it, or that came with its message. */
  readonly parent?: string;
}

/**
 * Makes the ids of a turn. Its trace is the one of the turn around it or the one that came with its
 * message; else it follows from the message's own id, so that another process that tries the
 * message again goes on with the same trace.
 */
export function turnIds(message: InboundMessage, outer: TurnIds | undefined): TurnIds {
  const turn = randomBytes(8).toString("hex");
  const given = readTraceparent(outer ? outer.trace : message.traceparent);
  const { traceId, flags } = given ?? (readTraceparent(messageTrace(message)) as TraceParent);
  return {
    turn,
    trace: `00-${traceId}-${turn}-${flags}`,
    message: outer?.message ?? `${message.channel} ${message.id}`,
    ...(given && { parent: given.spanId }),
  };
}

/** Returns the `traceparent` of a message, whose span is the message's own in every process. */
export function messageTrace({ channel, id, traceparent }: InboundMessage): string {
  const digits = hash("sha256", `${channel} ${id}`, "hex");
  const { traceId, flags } = readTraceparent(traceparent) ?? { traceId: digits.slice(0, 32), flags: "01" };
  return `00-${traceId}-${digits.slice(32, 48)}-${flags}`;
}
