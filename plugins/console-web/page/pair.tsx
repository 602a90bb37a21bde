import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { submitted, useDeed, Wrong } from "./parts.tsx";
import { enterUnpaired, notice, pair } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.pair;

/**
 * The code that the address brought. It is taken out of the address and the history at once, and
 * waits for a press: links of a stranger with wrong codes would lock pairing.
 */
let brought = takeCode();

function takeCode(): string {
  const [, code = ""] = /^#code=(\d{4,12})$/.exec(location.hash) ?? [];
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Lets a browser in by a code. The service asked is always the one that the page came from. */
export function Pair() {
  const code = useSignal(brought);
  const remember = useSignal(false);
  const deed = useDeed();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${words.title} · ${texts.name}`;
    field.current?.focus();
    void enterUnpaired();
    brought = "";
    // An address with a code that is opened where the page stands already loads nothing again.
    const take = (): void => {
      const found = takeCode();
      if (found !== "") code.value = found;
    };
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return (
    <main class="pair">
      <form class="card" onSubmit={submitted(deed, () => pair(code.value, remember.value))}>
        <img src="/console/icon.svg" alt="" width={44} height={44} />
        <h1>{words.title}</h1>
        {notice.value !== "" && <p role="status">{notice}</p>}
        <p class="quiet">
          {words.intro} <code>{words.command}</code>
        </p>
        <label>
          {words.code}
          <input
            class="code"
            inputMode="numeric"
            autocomplete="one-time-code"
            ref={field}
            required
            value={code}
            onInput={(event) => (code.value = event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={remember}
            onChange={(event) => (remember.value = event.currentTarget.checked)}
          />
          <span>
            {words.remember}
            <small>{words.rememberHint}</small>
          </span>
        </label>
        <Wrong deed={deed} />
        <button class="primary" disabled={deed.isBusy.value}>
          {deed.isBusy.value ? words.going : words.go}
        </button>
      </form>
    </main>
  );
}
