import { GantryError } from "../contract/errors.ts";
import type { InboundMessage } from "../messages/channel.ts";
import type { Inbox, PromptOptions } from "../messages/inbox.ts";
import { EventQueue } from "./event-queue.ts";
import type { TurnEvent, TurnResult } from "./turn.ts";

/** A step of a turn, or its end. */
export type PromptEvent = TurnEvent | { readonly type: "ended"; readonly result: TurnResult };

/**
 * Runs a turn and gives its steps as they come, the last with its result. The turn is stopped if
 * its reader leaves; a reader that falls megabytes behind gets `READER_TOO_SLOW`. Throws what
 * {@link Inbox.prompt} throws, and at once the reason of an aborted signal if that is a {@link
 * GantryError}, as if a gateway stops.
 */
export async function* promptEvents(
  inbox: Inbox,
  message: InboundMessage,
  options: Omit<PromptOptions, "onEvent">,
): AsyncGenerator<PromptEvent, void> {
  const stop = new AbortController();
  const queue = new EventQueue<PromptEvent>();
  const put = (event: PromptEvent): void => {
    if (!stop.signal.aborted && !queue.put(event)) stop.abort();
  };
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const cut = (): void => {
    const error: unknown = options.signal.reason;
    if (error instanceof GantryError) queue.end({ error });
  };
  options.signal.addEventListener("abort", cut, { once: true });
  if (options.signal.aborted) cut();
  void inbox
    .prompt(message, { ...options, signal, onEvent: put })
    .then((result) => put({ type: "ended", result }))
    .then(
      () => queue.end(),
      (error: unknown) => queue.end({ error }),
    );

  try {
    yield* queue.read();
  } finally {
    options.signal.removeEventListener("abort", cut);
    stop.abort();
  }
}
