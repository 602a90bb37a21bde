import { laneOf, type InboundMessage, type Store } from "@gantry/sdk";
import type { Clock } from "./clock.ts";
import type { Outbox } from "./outbox.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Wakeup } from "./wakeup.ts";

const dayMs = 86_400_000;

interface Deps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly outcomes: Outcomes;
  readonly clock: Pick<Clock, "now">;
  readonly wakeup: Wakeup;
}

/** What is waited for may take long: the conversation is told, once a day. */
export async function tellWaiting(
  { store, outbox, outcomes, clock, wakeup }: Deps,
  message: InboundMessage,
  text: string,
): Promise<void> {
  const day = Math.floor(clock.now() / dayMs);
  const told = outbox.notice({ ...message, id: `${laneOf(message)}:${day}` }, "waits", text);
  await outcomes.record(() => store.lanes.post(told));
  wakeup.wake();
}
