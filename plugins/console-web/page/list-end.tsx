import type { ComponentChildren } from "preact";
import type { Paged } from "./paged.ts";
import { Busy, Empty, Failed } from "./parts.tsx";
import { texts } from "./texts.ts";

interface ListProps<T> {
  readonly list: Paged<T>;
  readonly scope: string;
  readonly empty: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly label: string;
  readonly row: (value: T) => ComponentChildren;
}

/** A table that is read page by page. */
export function List<T>({ list, scope, empty, columns, label, row }: ListProps<T>) {
  const rows = list.rows.value;
  if (list.failure.value) return <Failed failure={list.failure.value} scope={scope} again={list.again} />;
  if (!rows) return <Busy />;
  if (rows.length === 0) return <Empty title={empty} />;
  return (
    <>
      <Table label={label} columns={Object.values(columns)}>
        {rows.map(row)}
      </Table>
      <More list={list} />
    </>
  );
}

/** Shows the next page of a list, if there is one. */
export function More({ list }: { readonly list: Pick<Paged<unknown>, "next" | "more"> }) {
  if (list.next.value === undefined) return null;
  return (
    <button type="button" class="center" onClick={list.more}>
      {texts.more}
    </button>
  );
}

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

export function Table({ label, columns, children }: TableProps) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name === "" ? <span class="hidden">{label}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
