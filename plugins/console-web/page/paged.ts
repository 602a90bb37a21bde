import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asFailure, type Failure } from "./failure.ts";
import { ask } from "./service.ts";

interface Page<T> {
  readonly rows: readonly T[];
  readonly next?: string;
}

export interface Paged<T> {
  readonly rows: Signal<readonly T[] | undefined>;
  readonly next: Signal<string | undefined>;
  readonly failure: Signal<Failure | undefined>;
  more(): void;
  again(): void;
}

/** Reads a list page by page; other words in `query` begin it again. */
export function usePaged<T>(path: string, query: Readonly<Record<string, string>>): Paged<T> {
  const rows = useSignal<readonly T[] | undefined>(undefined);
  const next = useSignal<string | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  const newest = useSignal("");
  const load = async (after?: string): Promise<void> => {
    newest.value = asked;
    failure.value = undefined;
    const search = new URLSearchParams(asked);
    if (after !== undefined) search.set("after", after);
    try {
      const page = await ask<Page<T>>("GET", `${path}?${search}`);
      // An answer to words that have changed since comes too late.
      if (newest.value !== asked) return;
      rows.value = after === undefined ? page.rows : [...(rows.value ?? []), ...page.rows];
      next.value = page.next;
    } catch (error) {
      if (after === undefined) rows.value = next.value = undefined;
      failure.value = asFailure(error);
    }
  };
  useEffect(() => void load(), [asked]);
  return { rows, next, failure, more: () => void load(next.value), again: () => void load() };
}
