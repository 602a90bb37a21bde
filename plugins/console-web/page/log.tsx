import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Badge, Busy } from "./parts.tsx";
import { asFailure } from "./failure.ts";
import { events, pause } from "./service.ts";
import { useStickToEnd } from "./stick.ts";
import { texts } from "./texts.ts";

const words = texts.health;

interface Line {
  readonly number: number;
  readonly level: "debug" | "info" | "warn" | "error";
  readonly at: string;
  readonly message: string;
  readonly plugin?: string;
  readonly code?: string;
}

/** Lines that are shown; the oldest give way. */
const mostLines = 500;
const pauseMs = 1_000;
const kinds = { debug: "plain", info: "plain", warn: "warn", error: "fail" } as const;

/** The log as it is written, once somebody asks for it. */
export function Log() {
  const isOn = useSignal(false);
  return (
    <section>
      <div class="row spread">
        <h2>{words.log}</h2>
        <button type="button" onClick={() => (isOn.value = !isOn.value)}>
          {isOn.value ? words.unfollow : words.follow}
        </button>
      </div>
      <p class="quiet">{words.logHint}</p>
      {isOn.value && <Lines />}
    </section>
  );
}

function Lines() {
  const lines = useSignal<readonly Line[]>([]);
  const isOpen = useSignal(false);
  const failure = useSignal("");
  const end = useStickToEnd(lines.value);
  useEffect(() => {
    const stop = new AbortController();
    let number = 0;
    const add = (line: Omit<Line, "number">): void => {
      number += 1;
      lines.value = [...lines.value, { ...line, number }].slice(-mostLines);
    };
    const take = (event: string, data: Record<string, unknown>): void => {
      if (event === "open") isOpen.value = true;
      if (event === "line") add(data as unknown as Line);
      if (event === "left_out")
        add({ level: "warn", at: new Date().toISOString(), message: words.leftOut(Number(data["count"])) });
    };
    const follow = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await events("/api/log/events", take, stop.signal).then(
          () => void (failure.value = ""),
          (error: unknown) => void (failure.value = texts.failed(asFailure(error).message)),
        );
        await pause(pauseMs, stop.signal);
      }
    };
    void follow();
    return () => stop.abort();
  }, []);
  return (
    <>
      {failure.value !== "" && <p role="alert">{failure}</p>}
      {!isOpen.value && failure.value === "" && <Busy />}
      {isOpen.value && lines.value.length === 0 && <Busy text={words.following} />}
      <div class="log-lines" role="log" aria-label={words.log} tabIndex={0} ref={end}>
        {lines.value.map(({ number, level, at, message, plugin, code }) => (
          <p key={number}>
            <time dateTime={at}>{at.slice(11, 19)}</time> <Badge kind={kinds[level]}>{level}</Badge>{" "}
            {plugin !== undefined && <code>{plugin}</code>} {message}{" "}
            {code !== undefined && <code>{code}</code>}
          </p>
        ))}
      </div>
    </>
  );
}
