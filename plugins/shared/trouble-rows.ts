import type { Check, CheckRow } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { withTimeout } from "@gantry/sdk/node";

const patienceMs = 5_000;

/** The part that a check hangs on, if it hangs while that is in trouble. */
const store = "store";

/** A row of a `ready` check, with the name of the check. */
export interface ReadyRow extends CheckRow {
  readonly check: string;
}

/** The answers of the `ready` checks of a service. */
export interface Ready {
  /** One row for each `what`, the worst that was told of it. */
  readonly rows: readonly ReadyRow[];
  /** The checks that gave none: nothing is known of what they look at. */
  readonly silent: ReadonlySet<string>;
}

/**
 * Runs the `ready` checks of a service. A check that throws, or does not answer in five seconds,
 * fails under its own name, unless the store keeps it from answering.
 */
export async function readyRows(checks: ReadonlyMap<string, Check>): Promise<Ready> {
  const ready = [...checks.values()].filter(({ kind }) => kind === "ready");
  const worst = new Map<string, ReadyRow>();
  const silent = new Set<string>();
  const take = (row: ReadyRow): void => {
    const known = worst.get(row.what);
    if (!known || gravity[row.state] > gravity[known.state]) worst.set(row.what, row);
  };
  for (const answer of await Promise.all(ready.map(answerOf))) {
    if ("failed" in answer) silent.add(answer.failed.check);
    for (const row of "failed" in answer ? [answer.failed] : answer.rows) take(row);
  }
  if (worst.get(store)?.state === "fail")
    for (const check of silent) if (check !== store) worst.delete(check);
  return { rows: [...worst.values()], silent };
}

/** Returns what the `ready` checks of a service tell but `ok`, as {@link readyRows} does. */
export async function troubleRows(checks: ReadonlyMap<string, Check>): Promise<readonly ReadyRow[]> {
  return (await readyRows(checks)).rows.filter(({ state }) => state !== "ok");
}

const gravity: Readonly<Record<CheckRow["state"], number>> = { ok: 0, warn: 1, fail: 2 };

type Answer = { readonly rows: readonly ReadyRow[] } | { readonly failed: ReadyRow };

async function answerOf({ name: check, run }: Check): Promise<Answer> {
  try {
    const rows = await withTimeout(patienceMs, run(AbortSignal.timeout(patienceMs)), late);
    return { rows: rows.map((row) => ({ ...row, check })) };
  } catch (error) {
    const { message, code = "" } = asError(error) as Error & { readonly code?: string };
    const what = code.startsWith("STORE_") ? store : check;
    return { failed: { check, what, state: "fail", detail: message } };
  }
}

function late(): Error {
  return new Error(`no answer in ${patienceMs / 1_000} s`);
}
