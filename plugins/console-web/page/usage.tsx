import { useSignal, type Signal } from "@preact/signals";
import { Table } from "./list-end.tsx";
import { Badge, Empty, useLoad, View, When } from "./parts.tsx";
import { addressOf, Link } from "./place.tsx";
import { account, ask } from "./service.ts";
import { short, texts } from "./texts.ts";

const words = texts.usage;

interface Row {
  /** Null: the main agent, or the provider's own model. */
  readonly key: string | null;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  /** US dollars, as far as models have a price. */
  readonly usd: number;
}

interface Check {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
}

type By = keyof typeof words.by;

/** The view of what requests to models have taken. */
export function Usage() {
  const by = useSignal<By>("model");
  const range = useSignal("30");
  const days = useLoad(() => rowsBy("day", range.value), range.value);
  const rows = useLoad(() => rowsBy(by.value, range.value), `${by.value} ${range.value}`);
  return (
    <View title={texts.views.usage} tools={<Choice label={words.range} of={words.ranges} chosen={range} />}>
      <When load={days} scope="read">
        {(list) => (list.length === 0 ? <Empty title={words.empty} /> : <Days days={list} />)}
      </When>
      <div class="row spread">
        <h2>{words.share}</h2>
        <Choice label={words.share} of={words.by} chosen={by} />
      </div>
      <When load={rows} scope="read">
        {(list) => <Sums rows={list} by={by.value} />}
      </When>
      <Budgets />
    </View>
  );
}

async function rowsBy(by: By, days: string): Promise<readonly Row[]> {
  return (await ask<{ rows: readonly Row[] }>("GET", `/api/usage?by=${by}&days=${days}`)).rows;
}

interface ChoiceProps<K extends string> {
  readonly label: string;
  readonly of: Readonly<Record<K, string>>;
  readonly chosen: Signal<K>;
}

function Choice<K extends string>({ label, of, chosen }: ChoiceProps<K>) {
  return (
    <select
      aria-label={label}
      value={chosen.value}
      onChange={(event) => (chosen.value = event.currentTarget.value as K)}
    >
      {Object.entries(of).map(([value, name]) => (
        <option key={value} value={value}>
          {name as string}
        </option>
      ))}
    </select>
  );
}

const height = 120;
const gap = 3;

/** Tokens day by day, as bars; the same figures stand in the table by day. */
function Days({ days }: { readonly days: readonly Row[] }) {
  const all = days.toReversed();
  const most = Math.max(1, ...all.map(({ input, output }) => input + output));
  const width = 600 / Math.max(14, all.length);
  const bar = Math.max(0.1, width - gap);
  return (
    <figure class="card">
      <figcaption>{words.perDay}</figcaption>
      <svg viewBox={`0 0 600 ${height + 4}`} role="img" aria-label={all.map(told).join("; ")} class="bars">
        {all.map((row, at) => {
          const [input, output] = [row.input, row.output].map((count) => (count / most) * height) as [
            number,
            number,
          ];
          const x = 600 - (all.length - at) * width + gap / 2;
          return (
            <g key={row.key}>
              <title>{told(row)}</title>
              <rect class="in" x={x} y={height - input} width={bar} height={Math.max(1, input)} rx={2} />
              <rect class="out" x={x} y={height - input - output} width={bar} height={output} rx={2} />
            </g>
          );
        })}
      </svg>
      <p class="quiet row">
        <span class="key in" /> {words.tokensIn} <span class="key out" /> {words.tokensOut}
      </p>
    </figure>
  );
}

function told({ key, input, output }: Row): string {
  return words.day(key ?? "", short(input + output));
}

function Sums({ rows, by }: { readonly rows: readonly Row[]; readonly by: By }) {
  if (rows.length === 0) return null;
  const columns = [words.by[by], words.requests, words.tokensIn, words.tokensOut, words.cost];
  return (
    <Table label={words.share} columns={columns}>
      {rows.map((row) => (
        <tr key={row.key}>
          <th scope="row">{row.key ?? (by === "model" ? words.ownModel : words.main)}</th>
          <td class="number">{row.requests.toLocaleString("en")}</td>
          <td class="number">{short(row.input)}</td>
          <td class="number">{short(row.output)}</td>
          <td class="number">{row.usd === 0 ? "—" : `$${row.usd.toFixed(2)}`}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The rows of `status` about budgets. */
function Budgets() {
  const load = useLoad(async () => {
    const { rows } = await ask<{ rows: readonly Check[] }>("GET", "/api/status");
    return rows.filter(({ what }) => /budget/.test(what));
  });
  return (
    <section>
      <h2>{words.budgets}</h2>
      <When load={load} scope="read">
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet">{words.noBudget}</p>
          ) : (
            <ul class="plain-list">
              {rows.map(({ what, state, detail }) => (
                <li key={what}>
                  <Badge kind={state}>{what}</Badge> {detail}
                </li>
              ))}
            </ul>
          )
        }
      </When>
      {account.value?.may.includes("manage") && (
        <p>
          <Link to={addressOf("config", { find: "budget" })}>{words.setBudget}</Link>
        </p>
      )}
    </section>
  );
}
