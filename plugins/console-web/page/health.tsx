import { useSignal } from "@preact/signals";
import { asFailure, Badge, Busy, useLoad, View, When } from "./parts.tsx";
import { ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.health;

interface Row {
  readonly what: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly cure?: string;
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
        {(report) => <Rows report={asked.value ?? report} />}
      </When>
    </View>
  );
}

function Rows({ report: { ok, rows } }: { readonly report: Report }) {
  const warned = rows.filter(({ state }) => state === "warn").length;
  return (
    <>
      <p role="status" class={`verdict ${ok ? "ok" : "fail"}`}>
        {!ok ? words.notOk : warned > 0 ? words.look(warned) : words.ok}
      </p>
      <ul class="checks">
        {rows
          .toSorted((a, b) => order[a.state] - order[b.state])
          .map(({ what, state, detail, cure }, at) => (
            <li key={at}>
              <Badge kind={state}>{words.states[state] ?? state}</Badge>
              <strong>{what}</strong>
              <span>{detail}</span>
              {cure !== undefined && (
                <span class="cure">
                  {words.cure}: {cure}
                </span>
              )}
            </li>
          ))}
      </ul>
    </>
  );
}
