import type { Audit, CheckRow } from "@gantry/sdk";
import { userAround } from "@gantry/sdk/node";
import { rowsOf, statusRows, type DoctorNeeds } from "./asked-rows.ts";
import { errors } from "./errors.ts";

export interface FixNeeds extends DoctorNeeds {
  readonly audit: Audit;
}

/**
 * Does the cure of a row, if the row says the same now, and records it. Throws DOCTOR_NO_FIX, and
 * what the cure throws.
 */
export async function fix(
  needs: FixNeeds,
  wanted: { readonly what: string; readonly fix: string },
  signal: AbortSignal,
): Promise<void> {
  const isIt = ({ what, fix }: CheckRow): boolean => what === wanted.what && fix?.label === wanted.fix;
  const quick = (await statusRows(needs, signal)).find(isIt);
  // None of our own checks that reach out has a cure to press, so the provider is left alone.
  const row = quick ?? (await rowsOf(needs, [], ["doctor"], signal)).find(isIt);
  if (!row?.fix) throw errors.DOCTOR_NO_FIX(wanted.what);
  await needs.audit.record({
    event_type: "config_change",
    tool: "",
    args: { check: row.what, fix: row.fix.label },
    result: "fixed",
    user: userAround(),
    session_id: "",
  });
  await row.fix.run();
}
