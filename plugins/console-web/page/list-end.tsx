import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Paged } from "./paged.ts";
import { Busy, Empty, Failed } from "./parts.tsx";
import { texts } from "./texts.ts";

interface PagesProps<T> {
  readonly list: Paged<T>;
  readonly scope: string;
  /** Shown in place of no rows. */
  readonly empty: ComponentChildren;
  readonly children: (rows: readonly T[]) => ComponentChildren;
}

/** A list that is read page by page, in whichever state it is. */
export function Pages<T>({ list, scope, empty, children }: PagesProps<T>) {
  const rows = list.rows.value;
  const failure = list.failure.value;
  if (!rows && !failure) return <Busy />;
  return (
    <>
      {rows && (rows.length === 0 ? empty : children(rows))}
      {failure && <Failed failure={failure} scope={scope} again={rows ? list.more : list.again} />}
      {!failure && list.next.value !== undefined && (
        <button type="button" class="center" onClick={list.more}>
          {texts.more}
        </button>
      )}
    </>
  );
}

interface ListProps<T> extends Pick<PagesProps<T>, "list" | "scope"> {
  readonly empty: string;
  readonly columns: readonly string[];
  readonly label: string;
  readonly row: (value: T) => ComponentChildren;
}

/** A table that is read page by page. */
export function List<T>({ list, scope, empty, columns, label, row }: ListProps<T>) {
  return (
    <Pages list={list} scope={scope} empty={<Empty title={empty} />}>
      {(rows) => (
        <Table label={label} columns={columns}>
          {rows.map(row)}
        </Table>
      )}
    </Pages>
  );
}

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

export function Table({ label, columns, children }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  // On a narrow page each cell stands below the other, with its column's name.
  useLayoutEffect(() => {
    for (const { cells } of body.current?.rows ?? [])
      for (const [at, cell] of [...cells].entries()) if (columns[at]) cell.dataset["label"] = columns[at];
  });
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
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  );
}
