import type { InboundMessage, Observer } from "@gantry/sdk";
import { laneOf, readTraceparent } from "@gantry/sdk/fill";
import { messageTrace } from "../tools/turn-ids.ts";

type Move = Parameters<NonNullable<Observer["laneMoved"]>>[0];

/** Returns how far a message has come, for observers. The trace is computed only if one reads it. */
export function laneMove(message: InboundMessage, state: Move["state"]): Move {
  return {
    lane: laneOf(message),
    state,
    get trace() {
      return messageTrace(message);
    },
    get parent() {
      return readTraceparent(message.traceparent)?.spanId;
    },
  };
}
