import type { InboundMessage, Inbox, PromptOptions } from "./channel.ts";
import { errors } from "./codes.ts";
import type { TurnEvent, TurnResult } from "./turn.ts";

/** How much may wait for a reader, in characters of JSON. */
const maxUnread = 4 * 1024 * 1024;

/** A step of a turn, or its end. */
export type PromptEvent = TurnEvent | { readonly type: "ended"; readonly result: TurnResult };

/**
 * Runs a turn and gives its steps as they come, the last with its result. The turn is stopped if its reader leaves; a
 * reader that falls megabytes behind gets `READER_TOO_SLOW`. Throws what {@link Inbox.prompt} throws.
 */
export async function* promptEvents(
  inbox: Inbox,
  message: InboundMessage,
  options: Omit<PromptOptions, "onEvent">,
): AsyncGenerator<PromptEvent, void> {
  const stop = new AbortController();
  const waiting: PromptEvent[] = [];
  let unread = 0;
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  let wake: (() => void) | undefined;

  const put = (event: PromptEvent): void => {
    if (stop.signal.aborted) return;
    waiting.push(event);
    unread += JSON.stringify(event).length;
    if (unread > maxUnread) {
      failure = { error: errors.READER_TOO_SLOW() };
      stop.abort();
    }
    wake?.();
  };
  const signal = AbortSignal.any([options.signal, stop.signal]);
  void inbox
    .prompt(message, { ...options, signal, onEvent: put })
    .then((result) => put({ type: "ended", result }))
    .catch((error: unknown) => (failure ??= { error }))
    .finally(() => {
      isOver = true;
      wake?.();
    });

  try {
    for (;;) {
      const events = waiting.splice(0);
      unread = 0;
      yield* events;
      if (failure && waiting.length === 0) throw failure.error;
      if (isOver && waiting.length === 0) return;
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stop.abort();
  }
}
