import { stripVTControlCharacters, styleText } from "node:util";
import type { CheckRow, CommandContext } from "@gantry/sdk";
import type { Redactor } from "@gantry/sdk/fill";

const signs = { ok: ["green", "✔"], warn: ["yellow", "!"], fail: ["red", "✘"] } as const;

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
): Promise<{ readonly ok: boolean; readonly rows: readonly CheckRow[] }> {
  const clean = cleaner([...redactors]);
  const shown = await Promise.all(
    rows.map(async ({ what, state, detail, cure }) => ({
      what: await clean(what),
      state,
      detail: await clean(detail),
      ...(cure !== undefined && { cure: await clean(cure) }),
    })),
  );
  return { ok: rows.every(({ state }) => state !== "fail"), rows: shown };
}

function* table(rows: readonly CheckRow[]): Generator<string> {
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

/** No secret, no control sign, one line. A redactor that fails hides the text. */
function cleaner(redactors: readonly Redactor[]): (text: string) => Promise<string> {
  return async (text) => {
    try {
      let redacted = text;
      for (const redactor of redactors) redacted = await redactor.redact(redacted);
      return stripVTControlCharacters(redacted)
        .replace(/[\s\p{C}]+/gu, " ")
        .trim();
    } catch {
      return "(hidden: it could not be redacted)";
    }
  };
}
