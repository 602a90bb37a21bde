import { GantryError, type CheckRow, type Store } from "@gantry/sdk";
import { madeIn, type Made } from "./folder.ts";
import type { Plan } from "./plan.ts";

const what = "backup";
/** A backup that is this late was missed. */
const graceMs = 3_600_000;
const cure = "Fix what it says: it is tried again every 5 minutes, and when the service starts.";

/** The last try, which failed. */
export interface Failed {
  /** ISO 8601. */
  readonly at: string;
  readonly why: string;
}

export function failure({ at, why }: Failed): CheckRow {
  return { what, state: "warn", detail: `the backup of ${at} failed: ${why}`, cure };
}

/** Tells by the folder itself when the last backup was made, and why a later one was not. */
export async function doctorRows(plan: () => Promise<Plan>, store: Store): Promise<readonly CheckRow[]> {
  try {
    const { folder, next } = await plan();
    const failed = await store.values.get<Failed>("backup", "failed");
    if (failed) return [failure(failed)];
    const all = await madeIn(folder);
    const made = all.filter(({ at }) => at <= Date.now());
    return [madeRow(folder, made, next), ...laterRows(all.slice(made.length))];
  } catch (error) {
    if (!(error instanceof GantryError)) throw error;
    return [{ what, state: "fail", detail: error.message }];
  }
}

function madeRow(folder: string, made: readonly Made[], next: Plan["next"]): CheckRow {
  const last = made.at(-1);
  if (!last) return { what, state: "warn", detail: `none is in ${folder} yet`, cure: "Start the service." };
  const detail = `the last of ${made.length} in ${folder} is of ${new Date(last.at).toISOString()}`;
  const due = next(last.at) ?? Infinity;
  if (Date.now() - due < graceMs) return { what, state: "ok", detail };
  const missed = `${detail}, and the one due ${new Date(due).toISOString()} was not made`;
  return { what, state: "warn", detail: missed, cure: "Start the service, which makes it." };
}

function laterRows([first, ...more]: readonly Made[]): readonly CheckRow[] {
  if (!first) return [];
  const others = more.length > 0 ? ` and ${more.length} more` : "";
  const detail = `${first.file}${others} is dated later than now, so it is never counted or removed`;
  return [{ what, state: "warn", detail, cure: "Set the clock, or move what has a wrong date away." }];
}
