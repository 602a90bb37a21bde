import { useSignal, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Longer than a person takes to hold back a press that is on its way. */
const stillMs = 700;
const lookMs = 100;

export interface Still {
  /** True once the element has stood where it is for a moment. */
  readonly isStill: Signal<boolean>;
  /** Looks once more, for a press between two looks, and returns the same. */
  look(): boolean;
}

/** Watches an element's place in the window, so that no press hits what has just come under it. */
export function useStill(element: RefObject<HTMLElement | null>, hasFocus: boolean): Still {
  const isStill = useSignal(false);
  const seen = useRef({ at: "", since: 0 });
  const look = (): boolean => {
    const { top = 0, left = 0 } = element.current?.getBoundingClientRect() ?? {};
    const [at, now] = [`${Math.round(top)} ${Math.round(left)} ${hasFocus}`, performance.now()];
    if (at !== seen.current.at) seen.current = { at, since: now };
    return (isStill.value = now - seen.current.since >= stillMs);
  };
  useEffect(() => {
    look();
    const timer = setInterval(look, lookMs);
    return () => clearInterval(timer);
  }, [hasFocus]);
  return { isStill, look };
}
