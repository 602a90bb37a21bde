import type { RouteRequest } from "@gantry/sdk";
import { Type, type TProperties, type TSchema } from "typebox";

/** Returns a value of the query that is there once; else undefined. */
export function queryOf({ query }: Pick<RouteRequest, "query">, name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns how many rows are asked for: `?limit=`, from 1 to `most`. */
export function limitOf(
  request: Pick<RouteRequest, "query">,
  { usual = 50, most = 200 }: { readonly usual?: number; readonly most?: number } = {},
): number {
  const asked = Number(queryOf(request, "limit") ?? usual);
  return Number.isInteger(asked) ? Math.min(Math.max(asked, 1), most) : usual;
}

/** One page of a list. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** The `after` of the page behind it; left out on the last. */
  readonly next?: string;
}

/** Returns the rows behind `?after=` in the order of their keys, or the other way round. */
export function pageOf<T>(
  request: Pick<RouteRequest, "query">,
  all: readonly T[],
  keyOf: (row: T) => string,
  order: "up" | "down" = "up",
): Page<T> {
  const [limit, after] = [limitOf(request), queryOf(request, "after")];
  const sorted = all
    .map((row) => ({ row, key: keyOf(row) }))
    .toSorted((a, b) => (a.key < b.key === (order === "up") ? -1 : 1));
  const behind = sorted.filter(
    ({ key }) => after === undefined || (order === "up" ? key > after : key < after),
  );
  const shown = behind.slice(0, limit);
  const next = behind.length > limit ? shown.at(-1)?.key : undefined;
  return { rows: shown.map(({ row }) => row), ...(next !== undefined && { next }) };
}

/** Describes a page of rows; `next` is the `after` of the page behind it, left out on the last. */
export function pageSchema(rows: TProperties): TSchema {
  return Type.Object({ rows: Type.Array(Type.Object(rows)), next: Type.Optional(Type.String()) });
}
