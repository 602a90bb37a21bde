import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Alerts } from "./alerts.tsx";
import { Log } from "./log.tsx";
import { Badge, Busy, useDeed, useLoad, View, When, Wrong } from "./parts.tsx";
import { account, ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.health;

interface Row {
  readonly what: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly cure?: string;
  /** The result of a button that was pressed for it. */
  readonly fix?: string;
}

interface Report {
  readonly ok: boolean;
  readonly rows: readonly Row[];
}

const order = { fail: 0, warn: 1, ok: 2 };

/** The state of the service, faults first. */
export function Health() {
  const load = useLoad(() => ask<Report>("GET", "/api/status"));
  const asked = useSignal<Report | undefined>(undefined);
  const deed = useDeed();
  const isBusy = deed.isBusy.value;
  const doctor = async (): Promise<void> => void (asked.value = await ask<Report>("GET", "/api/doctor"));
  const again = (): void => {
    asked.value = undefined;
    load.again();
  };
  const tools = (
    <button type="button" title={words.doctorHint} disabled={isBusy} onClick={() => void deed.run(doctor)}>
      {isBusy ? words.running : words.doctor}
    </button>
  );
  return (
    <View title={texts.views.health} tools={tools}>
      <Wrong deed={deed} />
      {isBusy && <Busy text={words.running} />}
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
  const deed = useDeed();
  const run = () => deed.run(() => ask("POST", "/api/doctor/fix", { what, fix }).then(fixed));
  return (
    <div class="cure">
      <button
        type="button"
        aria-label={`${fix}: ${what}`}
        disabled={deed.isBusy.value}
        onClick={() => void run()}
      >
        {fix}
      </button>
      <Wrong deed={deed} />
    </div>
  );
}
