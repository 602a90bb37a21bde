import { useSignal, type Signal } from "@preact/signals";
import { Field } from "./config-field.tsx";
import { leavesOf, shown, type Leaf, type Schema } from "./config-schema.ts";
import { Table } from "./list-end.tsx";
import { Empty, useDeed, useLoad, View, When, Wrong } from "./parts.tsx";
import { place } from "./place.tsx";
import { Search } from "./search.tsx";
import { Failure, isUnreachable } from "./failure.ts";
import { account, ask, pause, scopes } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.config;

type Values = Readonly<Record<string, unknown>>;

interface Loaded {
  readonly schema: Schema;
  readonly values: Values;
}

/** The configuration as a form: what is changed is tried and shown before it is saved. */
export function Config() {
  const search = useSignal(place.value.query.get("find") ?? "");
  const changes = useSignal<Values>({});
  const load = useLoad(() => ask<Loaded>("GET", "/api/config"));
  const isOwner = scopes.every((one) => account.value?.may.includes(one));
  return (
    <View title={texts.views.config} tools={<Search label={words.search} words={search} />}>
      <When load={load} scope="manage">
        {({ schema, values }) => (
          <>
            {!isOwner && <p role="status">{words.readOnly(scopes.join(", "))}</p>}
            <fieldset class="stack" disabled={!isOwner}>
              <Form leaves={leavesOf(schema)} values={values} changes={changes} search={search.value} />
            </fieldset>
            <Changes values={values} changes={changes} saved={load.again} />
          </>
        )}
      </When>
    </View>
  );
}

interface FormProps {
  readonly leaves: readonly Leaf[];
  readonly values: Values;
  readonly changes: Signal<Values>;
  readonly search: string;
}

function Form({ leaves, values, changes, search }: FormProps) {
  const wanted = search.toLowerCase();
  const found = leaves.filter(
    ({ key, schema }) => key.includes(wanted) || schema.description?.toLowerCase().includes(wanted),
  );
  if (found.length === 0) return <Empty title={words.empty} />;
  const tables = Map.groupBy(found, ({ key }) => key.split(".").slice(0, -1).join("."));
  const change = (key: string) => (value: unknown) => {
    const { [key]: _, ...others } = changes.value;
    changes.value = shown(value) === shown(values[key]) ? others : { ...others, [key]: value };
  };
  return (
    <>
      {[...tables].map(([table, keys]) => (
        <details key={table} class="card" open={wanted !== ""}>
          <summary>
            <code>{table === "" ? "config.toml" : `[${table}]`}</code>
            <span class="quiet"> {keys.length}</span>
          </summary>
          {keys.map((leaf) => (
            <Field
              key={leaf.key}
              leaf={leaf}
              value={leaf.key in changes.value ? changes.value[leaf.key] : values[leaf.key]}
              isChanged={leaf.key in changes.value}
              change={change(leaf.key)}
            />
          ))}
        </details>
      ))}
    </>
  );
}

interface ChangesProps {
  readonly values: Values;
  readonly changes: Signal<Values>;
  readonly saved: () => void;
}

/** The changes to be made: first a trial, then what differs, then saving. */
function Changes({ values, changes, saved }: ChangesProps) {
  const step = useSignal<"idle" | "trying" | "tried" | "saving">("idle");
  const said = useSignal("");
  const deed = useDeed();
  const keys = Object.keys(changes.value);
  const body = { changes: Object.fromEntries(keys.map((key) => [key, changes.value[key] ?? null])) };
  const run = (to: "trying" | "saving", work: () => Promise<void>): Promise<void> =>
    deed.run(() => {
      step.value = to;
      return work().catch((error: unknown) => {
        step.value = "idle";
        throw error;
      });
    });
  const attempt = (): Promise<void> =>
    run("trying", async () => {
      await ask("POST", "/api/config/trial", body);
      step.value = "tried";
    });
  const save = (): Promise<void> =>
    run("saving", async () => {
      await ask("PATCH", "/api/config", body);
      const { needRestart = [] } = await reloaded();
      said.value = needRestart.length > 0 ? words.restart(needRestart.join(", ")) : words.saved;
      [step.value, changes.value] = ["idle", {}];
      saved();
    });
  return (
    <section
      class={keys.length > 0 || said.value !== "" ? "card changes" : ""}
      aria-label={words.changed(keys.length)}
    >
      <p role="status">{keys.length > 0 ? words.changed(keys.length) : said.value}</p>
      <Wrong deed={deed} />
      {step.value === "tried" && keys.length > 0 && <Difference values={values} changes={changes.value} />}
      {keys.length > 0 && (
        <div class="row">
          <button
            type="button"
            onClick={() => {
              [changes.value, step.value, deed.failure.value] = [{}, "idle", ""];
            }}
          >
            {words.discard}
          </button>
          {step.value === "tried" || step.value === "saving" ? (
            <button
              type="button"
              class="primary"
              disabled={step.value === "saving"}
              onClick={() => void save()}
            >
              {step.value === "saving" ? words.saving : texts.save}
            </button>
          ) : (
            <button
              type="button"
              class="primary"
              disabled={step.value === "trying"}
              onClick={() => void attempt()}
            >
              {step.value === "trying" ? words.trying : words.try}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

interface Reload {
  readonly state: "none" | "running" | "done" | "failed";
  readonly needRestart?: readonly string[];
  readonly problem?: string;
}

const lookMs = 300;

/** Has the service apply the file, while it answers nobody for a moment. Throws {@link Failure}. */
async function reloaded(): Promise<Reload> {
  await ask("POST", "/api/config/reload");
  for (;;) {
    await pause(lookMs);
    const last = await ask<Reload>("GET", "/api/config/reload").catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
      return undefined;
    });
    if (last?.state === "failed") throw new Failure(0, "RELOAD_FAILED", last.problem ?? "");
    if (last && last.state !== "running") return last;
  }
}

function Difference({ values, changes }: { readonly values: Values; readonly changes: Values }) {
  return (
    <>
      <p>{words.tried}</p>
      <Table label={words.tried} columns={["", words.before, words.after]}>
        {Object.keys(changes).map((key) => (
          <tr key={key}>
            <th scope="row">
              <code>{key}</code>
            </th>
            <td>
              <del>{shown(values[key]) || words.unset}</del>
            </td>
            <td>
              <ins>{shown(changes[key]) || words.unset}</ins>
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
