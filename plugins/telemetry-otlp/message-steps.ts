import { randomBytes } from "node:crypto";
import { readTraceparent } from "@gantry/sdk/fill";
import type { Observer } from "@gantry/sdk";
import { key, metric } from "./conventions.ts";
import { channelOf, type Told } from "./told.ts";

type Move = Parameters<NonNullable<Observer["laneMoved"]>>[0];

/** Messages whose last step is remembered. */
const mostMessages = 10_000;

interface Seen {
  /** Unix ms, of the first state. */
  readonly began: number;
  readonly state: Move["state"];
  /** Unix ms, of the last state. */
  readonly at: number;
}

/** The step that ends with a state, and the state that it began with. */
const steps: Readonly<
  Partial<Record<Move["state"], { readonly name: string; readonly from?: Move["state"] }>>
> = {
  accepted: { name: "gantry.message.accept" },
  begun: { name: "gantry.message.wait", from: "accepted" },
  sent: { name: "gantry.message.send", from: "answered" },
};

/**
 * Makes spans of the way of a message of a channel: accepted, waiting for its conversation, sent,
 * and all of it.
 */
export function messageSteps(told: Told): (move: Move) => void {
  const seen = new Map<string, Seen>();
  return ({ lane, state, trace, parent }) => {
    const attributes = { [key.channel]: channelOf(lane) };
    const counted = { ...attributes, "gantry.message.state": state };
    told.measurements.add(metric.messages, "{message}", "Messages by how far they came.", 1, counted);
    told.measured();
    const ids = readTraceparent(trace);
    if (!ids || !told.isSampled(ids.traceId, ids.flags)) return;
    const now = Date.now();
    const before = seen.get(ids.spanId);
    const began = before?.began ?? now;
    const isOver = state === "sent" || state === "aside";
    if (isOver) seen.delete(ids.spanId);
    else if (before !== undefined || seen.size < mostMessages)
      seen.set(ids.spanId, { began, state, at: now });
    const common = { traceId: ids.traceId, end: now, attributes, failed: false };
    const step = steps[state];
    if (step) {
      const start = before !== undefined && before.state === step.from ? before.at : now;
      const spanId = randomBytes(8).toString("hex");
      told.span({ ...common, spanId, parentId: ids.spanId, name: step.name, kind: "internal", start });
    }
    if (!isOver) return;
    const failed = state === "aside";
    const { spanId } = ids;
    told.span({
      ...common,
      spanId,
      parentId: parent,
      name: "gantry.message",
      kind: "consumer",
      start: began,
      failed,
    });
  };
}
