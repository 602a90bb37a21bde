import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Alerts } from "./alerts.tsx";
import { Log } from "./log.tsx";
import { asFailure, Badge, Busy, useLoad, View, When } from "./parts.tsx";
import { account, ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.health;

interface Row {
  readonly what: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly cure?: string;
  /** What a button has done about it. */
  readonly fix?: string;
}

interface Report {
  readonly ok: boolean;
  readonly rows: readonly Row[];
}

const order = { fail: 0, warn: 1, ok: 2 };

/** How the service stands, what is wrong first. */
export function Health() {
  const load = useLoad(() => ask<Report>("GET", "/api/status"));
  const asked = useSignal<Report | undefined>(undefined);
  const isBusy = useSignal(false);
  const failure = useSignal("");
  const doctor = async (): Promise<void> => {
    isBusy.value = true;
    failure.value = "";
    try {
      asked.value = await ask<Report>("GET", "/api/doctor");
    } catch (error) {
      failure.value = texts.failed(asFailure(error).message);
    }
    isBusy.value = false;
  };
  const again = (): void => {
    asked.value = undefined;
    load.again();
  };
  const tools = (
    <button type="button" title={words.doctorHint} disabled={isBusy.value} onClick={() => void doctor()}>
      {isBusy.value ? words.running : words.doctor}
    </button>
  );
  return (
    <View title={texts.views.health} tools={tools}>
      {failure.value !== "" && <p role="alert">{failure}</p>}
      {isBusy.value && <Busy text={words.running} />}
      <When load={load} scope="read">
        {(report) => <Rows report={asked.value ?? report} fixed={again} />}
      </When>
      <Alerts />
      {account.value?.may.includes("manage") && <Log />}
    </View>
  );
}

interface RowsProps {
  readonly report: Report;
  readonly fixed: () => void;
}

function Rows({ report: { ok, rows }, fixed }: RowsProps) {
  const warned = rows.filter(({ state }) => state === "warn").length;
  return (
    <>
      <p role="status" class={`verdict ${ok ? "ok" : "fail"}`}>
        {!ok ? words.notOk : warned > 0 ? words.look(warned) : words.ok}
      </p>
      <ul class="checks">
        {rows
          .toSorted((a, b) => order[a.state] - order[b.state])
          .map((row, at) => (
            <One key={`${at} ${row.what}`} row={row} fixed={fixed} />
          ))}
      </ul>
    </>
  );
}

function One({ row, fixed }: { readonly row: Row; readonly fixed: () => void }) {
  const { what, state, detail, cure, fix } = row;
  return (
    <li>
      <Badge kind={state}>{words.states[state] ?? state}</Badge>
      <strong>{what}</strong>
      <span>{detail}</span>
      {cure !== undefined && (
        <span class="cure">
          {words.cure}: {withCode(cure)}
        </span>
      )}
      {fix !== undefined && account.value?.may.includes("manage") && (
        <Fix what={what} fix={fix} fixed={fixed} />
      )}
    </li>
  );
}

/** Shows what stands in backticks as code. */
function withCode(text: string): ComponentChildren {
  return text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

interface FixProps {
  readonly what: string;
  readonly fix: string;
  readonly fixed: () => void;
}

/** The cure of a row as a button; the service offers only what is safe. */
function Fix({ what, fix, fixed }: FixProps) {
  const isBusy = useSignal(false);
  const failure = useSignal("");
  const run = async (): Promise<void> => {
    [isBusy.value, failure.value] = [true, ""];
    try {
      await ask("POST", "/api/doctor/fix", { what, fix });
      fixed();
    } catch (error) {
      failure.value = texts.failed(asFailure(error).message);
    }
    isBusy.value = false;
  };
  return (
    <span class="cure">
      <button type="button" aria-label={`${fix}: ${what}`} disabled={isBusy.value} onClick={() => void run()}>
        {fix}
      </button>
      {failure.value !== "" && <span role="alert"> {failure}</span>}
    </span>
  );
}
