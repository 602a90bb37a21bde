/** The exit code: 1 if it failed, 2 for wrong usage or configuration, 3 if policy refused. */
export type ExitCode = 1 | 2 | 3;

/** One row of an error table: a sentence with a `%s` for each part, and the exit code. */
export interface ErrorRow {
  readonly text: string;
  readonly exit: ExitCode;
  /**
   * The status that a route answers with, 400 to 599. Default: 500, 400 or 403 for exit 1, 2 or 3.
   */
  readonly status?: number;
}

/** An error that a person can act on: one sentence, a code from a table, never a secret. */
export class GantryError extends Error {
  override readonly name = "GantryError";
  readonly code: string;
  readonly exit: ExitCode;
  readonly status?: number;

  /** Known by its shape, so that a plugin with a copy of the sdk of its own is understood too. */
  static override [Symbol.hasInstance](value: unknown): value is GantryError {
    const { name, code, exit } = (value ?? {}) as Partial<GantryError>;
    return name === "GantryError" && typeof code === "string" && typeof exit === "number";
  }

  constructor(code: string, row: ErrorRow, parts: readonly unknown[]) {
    const rest = [...parts];
    const cause = parts.find((part) => part instanceof Error);
    super(
      row.text.replace(/%s/g, () => sentence(rest.shift())),
      cause ? { cause } : undefined,
    );
    this.code = code;
    this.exit = row.exit;
    if (row.status !== undefined) this.status = row.status;
  }
}

/**
 * Returns several errors as one, each on a line of its own with its code; it has the first's code.
 */
export function allOf(errors: readonly GantryError[]): GantryError | undefined {
  const found = [...new Map(errors.map((error) => [error.message, error])).values()];
  const [first, ...rest] = found;
  if (!first || rest.length === 0) return first;
  const all = new GantryError(first.code, { text: "%s", exit: first.exit }, [
    found.map(({ message }) => message).join("\n"),
  ]);
  return Object.assign(all, { all: found });
}

/** Returns a part of a message on one line, as others may have written it over several. */
function sentence(part: unknown): string {
  if (!(part instanceof Error)) return String(part);
  const lines = part.message.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).join(" ");
}

/**
 * Builds the error of one row from its parts; carries the row, so that references can be generated.
 */
export interface ErrorMaker extends ErrorRow {
  (...parts: readonly unknown[]): GantryError;
  readonly code: string;
}
export type ErrorTable<Code extends string = string> = { readonly [K in Code]: ErrorMaker };

/**
 * Turns rows into makers: `throw errors.CONFIG_MISSING(path)`. A code once shipped is never reused.
 */
export function defineErrors<Code extends string>(rows: {
  readonly [K in Code]: ErrorRow;
}): ErrorTable<Code> {
  const table = {} as Record<Code, ErrorMaker>;
  for (const code of Object.keys(rows) as Code[]) {
    const row = rows[code];
    const make = (...parts: readonly unknown[]): GantryError => new GantryError(code, row, parts);
    table[code] = Object.freeze(Object.assign(make, { code, ...row }));
  }
  return Object.freeze(table);
}

/** Returns a row for what failed while it ran (exit 1); over HTTP `status`, else 500. */
export function failed(text: string, status?: number): ErrorRow {
  return row(text, 1, status);
}
/** Returns a row for wrong usage or configuration (exit 2); over HTTP `status`, else 400. */
export function usage(text: string, status?: number): ErrorRow {
  return row(text, 2, status);
}
/** Returns a row for what the policy refuses (exit 3); over HTTP `status`, else 403. */
export function policy(text: string, status?: number): ErrorRow {
  return row(text, 3, status);
}

function row(text: string, exit: ExitCode, status: number | undefined): ErrorRow {
  return { text, exit, ...(status !== undefined && { status }) };
}
