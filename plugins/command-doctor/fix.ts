import type { Audit } from "@gantry/sdk";
import { userAround } from "@gantry/sdk/node";
import { statusRows, type DoctorNeeds } from "./asked-rows.ts";
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
  const rows = await statusRows(needs, signal);
  const row = rows.find((one) => one.what === wanted.what && one.fix?.label === wanted.fix);
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
