import type { Check, CheckRow } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { withTimeout } from "@gantry/sdk/node";

const patienceMs = 5_000;

/** What the `ready` checks of a service tell but `ok`. One that throws, or does not answer in five seconds, is a failure by itself. */
export async function troubleRows(checks: ReadonlyMap<string, Check>): Promise<readonly CheckRow[]> {
  const ready = [...checks.values()].filter(({ kind }) => kind === "ready");
  const rows = await Promise.all(ready.map(rowsOf));
  return rows.flat().filter(({ state }) => state !== "ok");
}

async function rowsOf({ name, run }: Check): Promise<readonly CheckRow[]> {
  try {
    return await withTimeout(patienceMs, run(AbortSignal.timeout(patienceMs)), late);
  } catch (error) {
    return [{ what: name, state: "fail", detail: asError(error).message }];
  }
}

function late(): Error {
  return new Error(`no answer in ${patienceMs / 1_000} s`);
}
