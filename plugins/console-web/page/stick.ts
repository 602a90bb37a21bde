import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The distance from the end within which a reader wants to see what comes. */
const nearPx = 80;

/** Keeps the end of a box in sight as it grows, unless its reader has gone up. */
export function useStickToEnd(...grown: readonly unknown[]): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = box;
    const look = (): void => {
      if (current) isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx;
    };
    current?.addEventListener("scroll", look, { passive: true });
    return () => current?.removeEventListener("scroll", look);
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, grown as unknown[]);
  return box;
}
