import { styleText } from "node:util";
import type { CheckRow, CommandContext } from "@gantry/sdk";
import type { Redactor } from "@gantry/sdk/fill";
import { cleaner } from "../shared/clean-line.ts";

const signs = { ok: ["green", "✔"], warn: ["yellow", "!"], fail: ["red", "✘"] } as const;

/** A row as it is told; of its fix only the label. */
type ShownRow = Omit<CheckRow, "fix"> & { readonly fix?: string };

/**
 * Prints a table, or one JSON object `{ok, rows}` with --json; returns true if no row failed. Every
 * text is redacted first.
 */
export async function printReport(
  { out, options }: CommandContext,
  rows: readonly CheckRow[],
  redactors: Iterable<Redactor>,
): Promise<boolean> {
  const { ok, rows: shown } = await cleanReport(rows, redactors);
  if (options["json"]) out(JSON.stringify({ ok, rows: shown }));
  else for (const line of table(shown)) out(line);
  return ok;
}

/** Returns the rows with every text redacted, and whether none failed. */
export async function cleanReport(
  rows: readonly CheckRow[],
  redactors: Iterable<Redactor>,
): Promise<{ readonly ok: boolean; readonly rows: readonly ShownRow[] }> {
  const clean = cleaner([...redactors]);
  const shown = await Promise.all(
    rows.map(async ({ what, state, detail, cure, fix }) => ({
      what: await clean(what),
      state,
      detail: await clean(detail),
      ...(cure !== undefined && { cure: await clean(cure) }),
      ...(fix && { fix: await clean(fix.label) }),
    })),
  );
  return { ok: rows.every(({ state }) => state !== "fail"), rows: shown };
}

function* table(rows: readonly ShownRow[]): Generator<string> {
  const width = Math.max(0, ...rows.map(({ what }) => what.length));
  for (const { what, state, detail, cure } of rows) {
    const [color, sign] = signs[state];
    const mark = styleText(color, sign, { stream: process.stdout });
    yield `${mark} ${what.padEnd(width)}  ${detail}`;
    if (cure !== undefined)
      yield `  ${" ".repeat(width)}  ${styleText("dim", `→ ${cure}`, { stream: process.stdout })}`;
  }
  const count = (state: CheckRow["state"]): number => rows.filter((row) => row.state === state).length;
  yield `${count("ok")} right, ${count("warn")} to look at, ${count("fail")} wrong`;
}
