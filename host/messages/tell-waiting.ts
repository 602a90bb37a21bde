import { laneOf, type InboundMessage, type Store } from "@gantry/sdk";
import type { Outbox } from "./outbox.ts";
import type { Outcomes } from "./outcomes.ts";

const dayMs = 86_400_000;

interface Deps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly outcomes: Outcomes;
}

/** What is waited for may take long: the conversation is told, once a day. */
export async function tellWaiting(
  { store, outbox, outcomes }: Deps,
  message: InboundMessage,
  text: string,
): Promise<void> {
  const day = Math.floor(Date.now() / dayMs);
  const told = outbox.notice({ ...message, id: `${laneOf(message)}:${day}` }, "waits", text);
  await outcomes.record(() => store.lanes.post(told));
}
