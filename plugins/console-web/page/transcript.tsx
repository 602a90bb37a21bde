import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { loadMessages, type Transcript as Kept } from "./chat-state.ts";
import { Messages } from "./messages.tsx";
import { Busy, Failed } from "./parts.tsx";
import { asFailure } from "./failure.ts";
import { texts } from "./texts.ts";

/** However long a conversation is, the page holds no more of its messages than these. */
const mostShown = 200;
const step = 100;

interface TranscriptProps {
  readonly one: Kept;
  readonly scope: string;
  /** True while the end is what counts, as when a turn runs. */
  readonly staysAtEnd?: boolean;
}

/** The messages of a conversation, as a window that goes back and forth over all of them. */
export function Transcript({ one, scope, staysAtEnd = false }: TranscriptProps) {
  const behind = useSignal(0);
  const isBusy = useSignal(false);
  const list = useRef<HTMLDivElement>(null);
  const kept = useRef<Element | null>(null);
  const all = one.messages.value ?? [];
  const end = all.length - (staysAtEnd ? 0 : Math.min(behind.value, all.length));
  const start = Math.max(0, end - mostShown);
  // The text that was read stays where it was as others come above it, or go.
  useLayoutEffect(() => {
    if (isBusy.value) return;
    if (kept.current?.isConnected) kept.current.scrollIntoView({ block: "center" });
    kept.current = null;
  });
  const shown = (at: "first" | "last"): Element | null =>
    list.current?.querySelector(`article:${at}-of-type`) ?? null;
  const earlier = async (): Promise<void> => {
    const first = shown("first");
    isBusy.value = true;
    try {
      if (start < step && one.hasMore.value) await loadMessages(one, true);
      one.failure.value = undefined;
      const { length } = one.messages.value ?? [];
      behind.value = Math.max(0, Math.min(length - mostShown, all.length - end + step));
      kept.current = first;
    } catch (error) {
      one.failure.value = asFailure(error);
    }
    isBusy.value = false;
  };
  return (
    <div ref={list} class="transcript">
      {one.failure.value && (
        <Failed failure={one.failure.value} scope={scope} again={() => void again(one)} />
      )}
      {isBusy.value && <Busy />}
      {(start > 0 || one.hasMore.value) && (
        <button type="button" class="center" disabled={isBusy.value} onClick={() => void earlier()}>
          {texts.chat.earlier}
        </button>
      )}
      <Messages messages={all.slice(start, end)} before={all.length - start} all={all} />
      {end < all.length && (
        <button
          type="button"
          class="center"
          onClick={() => {
            kept.current = shown("last");
            behind.value = Math.max(0, all.length - end - step);
          }}
        >
          {texts.chat.later}
        </button>
      )}
    </div>
  );
}

async function again(one: Kept): Promise<void> {
  await loadMessages(one).catch((error: unknown) => (one.failure.value = asFailure(error)));
}
