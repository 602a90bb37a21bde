import { useSignal } from "@preact/signals";
import { Badge, Empty, useLoad, View, When } from "./parts.tsx";
import { Search } from "./search.tsx";
import { ask } from "./service.ts";
import { texts } from "./texts.ts";

const words = texts.plugins;

interface Plugin {
  readonly name: string;
  readonly from: string;
  readonly state: string;
  readonly summary?: string;
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly string[];
}

interface Loaded {
  readonly plugins: readonly Plugin[];
  readonly absent: readonly { readonly name: string; readonly cure: string }[];
}

/**
 * The plugins that are loaded, what each fills and needs, and by whom a slot is filled and used.
 */
export function Plugins() {
  const search = useSignal("");
  const load = useLoad(() => ask<Loaded>("GET", "/api/plugins"));
  return (
    <View title={texts.views.plugins} tools={<Search label={words.filter} words={search} />}>
      <When load={load} scope="read">
        {({ plugins, absent }) => (
          <>
            <Slots plugins={plugins.filter((one) => fits(one, search.value))} all={plugins} />
            <Cards plugins={plugins.filter((one) => fits(one, search.value))} />
            {absent.length > 0 && search.value === "" && <Absent absent={absent} />}
          </>
        )}
      </When>
    </View>
  );
}

function fits({ name, needs, provides, taps }: Plugin, search: string): boolean {
  return [name, ...needs, ...provides, ...taps].some((word) => word.includes(search.toLowerCase()));
}

function Cards({ plugins }: { readonly plugins: readonly Plugin[] }) {
  if (plugins.length === 0) return <Empty title={words.empty} />;
  return (
    <section>
      <h2>{words.loaded}</h2>
      <ul class="cards">
        {plugins.map(({ name, state, summary, needs, provides, taps }) => (
          <li key={name} class="card">
            <h3>
              {name} {state !== "running" && <Badge kind="warn">{state}</Badge>}
            </h3>
            {summary !== undefined && <p class="quiet">{summary}</p>}
            <dl>
              <Words name={words.fills} ids={provides} />
              <Words name={words.needs} ids={needs} />
              <Words name={words.taps} ids={taps} />
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Words({ name, ids }: { readonly name: string; readonly ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {ids.map((id) => (
          <code key={id}>{id}</code>
        ))}
      </dd>
    </div>
  );
}

interface SlotsProps {
  readonly plugins: readonly Plugin[];
  readonly all: readonly Plugin[];
}

/** The graph of slots, as lines from who fills one to who uses it. */
function Slots({ plugins, all }: SlotsProps) {
  const ids = [...new Set(plugins.flatMap(({ needs, provides }) => [...provides, ...needs]))].toSorted();
  const names = (key: "needs" | "provides", id: string): string =>
    all
      .filter((one) => one[key].includes(id))
      .map(({ name }) => name)
      .join(", ");
  return (
    <details class="card">
      <summary>
        {words.slots} ({ids.length})
      </summary>
      <ul class="slots">
        {ids.map((id) => (
          <li key={id}>
            <code>{id}</code>
            <span>
              <span class="quiet">{words.filledBy}</span> {names("provides", id) || words.host}
            </span>
            <span>
              <span class="quiet">{words.usedBy}</span> {names("needs", id) || words.none}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Absent({ absent }: Pick<Loaded, "absent">) {
  return (
    <section>
      <h2>{words.absent}</h2>
      <ul class="plain-list">
        {absent.map(({ name, cure }) => (
          <li key={name}>
            <strong>{name}</strong> <span class="quiet">{cure}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
