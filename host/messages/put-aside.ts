import { laneOf, type Claim, type Logger, type Notice, type Store } from "@gantry/sdk";
import type { Outbox } from "./outbox.ts";
import type { Outcomes } from "./outcomes.ts";
import { sentences } from "./sentences.ts";

interface Deps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly outcomes: Outcomes;
  readonly log: Logger;
}

/** Puts the message aside for good. A notice of the service is nobody's question, so there is nothing to try anew later. */
export async function putAside(
  { store: { lanes }, outcomes }: Pick<Deps, "store" | "outcomes">,
  claim: Claim,
  reason: string,
  notice?: Notice,
): Promise<void> {
  const write = () => (claim.isNotice ? lanes.ack(claim) : lanes.deadLetter(claim, reason, notice));
  await outcomes.record(write);
}

/** Puts it aside and tells its sender, in one step. */
export async function giveUp(deps: Deps, claim: Claim, reason: string): Promise<void> {
  const { message, isNotice } = claim;
  deps.log.error({ lane: laneOf(message), id: message.id }, `A message was put aside: ${reason}`);
  const text = sentences.ended(message, reason);
  const notice = isNotice ? undefined : deps.outbox.notice(message, "ended", text);
  await putAside(deps, claim, reason, notice);
}
