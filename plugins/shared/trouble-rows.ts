import type { Check, CheckRow } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { withTimeout } from "@gantry/sdk/node";

const patienceMs = 5_000;

/** A row of a `ready` check, with the name of the check. */
export interface ReadyRow extends CheckRow {
  readonly check: string;
}

/**
 * Runs the `ready` checks of a service. Returns one row for each `what`, the worst that was told of
 * it. A check that throws, or does not answer in five seconds, fails under its own name.
 */
export async function readyRows(checks: ReadonlyMap<string, Check>): Promise<readonly ReadyRow[]> {
  const ready = [...checks.values()].filter(({ kind }) => kind === "ready");
  const worst = new Map<string, ReadyRow>();
  for (const row of (await Promise.all(ready.map(rowsOf))).flat()) {
    const known = worst.get(row.what);
    if (!known || gravity[row.state] > gravity[known.state]) worst.set(row.what, row);
  }
  return [...worst.values()];
}

/** Returns what the `ready` checks of a service tell but `ok`, as {@link readyRows} does. */
export async function troubleRows(checks: ReadonlyMap<string, Check>): Promise<readonly ReadyRow[]> {
  return (await readyRows(checks)).filter(({ state }) => state !== "ok");
}

const gravity: Readonly<Record<CheckRow["state"], number>> = { ok: 0, warn: 1, fail: 2 };

async function rowsOf({ name: check, run }: Check): Promise<readonly ReadyRow[]> {
  try {
    const rows = await withTimeout(patienceMs, run(AbortSignal.timeout(patienceMs)), late);
    return rows.map((row) => ({ ...row, check }));
  } catch (error) {
    return [{ check, what: check, state: "fail", detail: asError(error).message }];
  }
}

function late(): Error {
  return new Error(`no answer in ${patienceMs / 1_000} s`);
}
