import type { SessionPage, SessionSummary } from "@gantry/sdk/fill";
import type { Sql } from "./sql.ts";

export interface SummaryRow {
  readonly id: string;
  readonly turns: number;
  /** Unix ms. */
  readonly updated: number;
  readonly owner: string | null;
  readonly title?: string | null;
}

/**
 * The number of the newest sessions that are searched: to read all words of all would hold up every
 * writer.
 */
const mostSearched = 2_000;

export function summaryOf({ id, turns, updated, owner, title }: SummaryRow): SessionSummary {
  return {
    id,
    turns,
    updated: new Date(updated).toISOString(),
    ...(owner !== null && { owner }),
    ...(typeof title === "string" && { title }),
  };
}

/** Returns a page of sessions, newest first. */
export function pageOf(sql: Sql, { limit, after, owner, search = "" }: SessionPage): readonly SummaryRow[] {
  const { updated = "", id = "" } = after ?? {};
  const conditions = ["turns > 0"];
  const values: (string | number)[] = [];
  const add = (text: string, ...given: (string | number)[]): void => {
    conditions.push(text);
    values.push(...given);
  };
  if (after) add("(updated, id) < (?, ?)", Date.parse(updated), id);
  if (owner !== undefined) add("owner = ?", owner);
  const from = search === "" ? "sessions" : newest;
  if (search !== "") add(found, search.toLowerCase(), asJson(search));
  return sql.all<SummaryRow>(
    `SELECT id, turns, updated, owner, (${title}) AS title FROM ${from} AS s
     WHERE ${conditions.join(" AND ")} ORDER BY updated DESC, id DESC LIMIT ?`,
    ...values,
    Math.max(0, limit),
  );
}

const newest = `(SELECT * FROM sessions ORDER BY updated DESC LIMIT ${mostSearched})`;

/** The first words of a session, of which the owner is shown so many. */
const title = `SELECT substr(json_extract(messages, '$[0].parts[0].text'), 1, 120)
  FROM turns WHERE session = s.id ORDER BY turns.id LIMIT 1`;

const found = `(instr(lower(id || ' ' || ifnull(owner, '')), ?) > 0
  OR EXISTS (SELECT 1 FROM turns WHERE session = s.id AND instr(lower(messages), ?) > 0))`;

/** Returns a text as it stands within a kept message. */
function asJson(text: string): string {
  return JSON.stringify(text.toLowerCase()).slice(1, -1);
}
