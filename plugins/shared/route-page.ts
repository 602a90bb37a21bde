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

/** Describes a page of rows; `next` is the `after` of the page behind it, left out on the last. */
export function pageSchema(rows: TProperties): TSchema {
  return Type.Object({ rows: Type.Array(Type.Object(rows)), next: Type.Optional(Type.String()) });
}
