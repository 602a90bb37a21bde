import { setTimeout as sleep } from "node:timers/promises";
import type { ApprovalRequest, Approvals, Route, ServerEvent } from "@gantry/sdk";
import type { Decider } from "@gantry/sdk/fill";
import { personOf } from "../shared/may-read.ts";

/** Questions stand in the store, where another process may have put them. */
const lookMs = 1_000;

/**
 * Tells of questions as they are asked and decided, wherever that is. Nothing runs while nobody
 * listens.
 */
export function approvalWork(approvals: Approvals): Route["handle"] {
  return async (request) => {
    const { caller, signal } = request;
    const by = { user: personOf(request), ...(caller && { caller }) };
    return { status: 200, events: changes(approvals, by, signal) };
  };
}

async function* changes(
  approvals: Approvals,
  by: Decider,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent, void> {
  let known: readonly ApprovalRequest[] | undefined;
  while (!signal.aborted) {
    const open = await approvals.pending(by);
    for (const { id } of known?.filter((one) => open.every((other) => other.id !== one.id)) ?? []) {
      const end = await approvals.ended?.(id, by);
      yield { event: "ended", data: { id, ...end } };
    }
    if (known?.map(({ id }) => id).join() !== open.map(({ id }) => id).join()) {
      yield { event: "open", data: { approvals: open } };
    }
    known = open;
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}
