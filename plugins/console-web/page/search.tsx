import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const pauseMs = 250;

interface SearchProps {
  readonly label: string;
  /** Gets the words once nothing more is typed. */
  readonly words: Signal<string>;
}

/** A field to search in. */
export function Search({ label, words }: SearchProps) {
  const typed = useSignal(words.value);
  useEffect(() => {
    const timer = setTimeout(() => (words.value = typed.value.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <input
      type="search"
      class="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onInput={(event) => (typed.value = event.currentTarget.value)}
    />
  );
}
