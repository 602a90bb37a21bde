import { laneOf, type InboundMessage } from "../messages/channel.ts";
import type { LaneState } from "../store/message-worker.ts";
import type { Observer } from "../turns/observer.ts";
import { readTraceparent } from "../turns/traceparent.ts";
import { messageTrace } from "./turn-ids.ts";

/**
 * Returns how far a message has come, for observers. The trace is computed only if one reads it.
 */
export function laneMove(
  message: InboundMessage,
  state: LaneState,
): Parameters<NonNullable<Observer["laneMoved"]>>[0] {
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
