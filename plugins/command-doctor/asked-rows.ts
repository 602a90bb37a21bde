import type { Check, CheckRow } from "@gantry/sdk";
import type { Redactor } from "@gantry/sdk/fill";
import { askAll, silence } from "./ask.ts";
import { ownChecks, type Needs } from "./own-checks.ts";

/** The time that one check may take: local ones, and those that reach out. */
const quickMs = 5_000;
const reachingMs = 15_000;

export interface DoctorNeeds extends Needs {
  readonly checks: ReadonlyMap<string, Check>;
  readonly redactors: ReadonlyMap<string, Redactor>;
}

/** Asks what looks at this machine only. */
export function statusRows(needs: DoctorNeeds, signal: AbortSignal): Promise<readonly CheckRow[]> {
  const own = ownChecks(needs).filter(({ kind }) => kind === "status");
  return rowsOf(needs, own, ["status"], signal, quickMs);
}

/** Asks everything, the provider too. */
export function doctorRows(needs: DoctorNeeds, signal: AbortSignal): Promise<readonly CheckRow[]> {
  return rowsOf(needs, ownChecks(needs), ["status", "doctor"], signal);
}

/** Asks these checks and those of the plugins that are of these kinds. */
export async function rowsOf(
  { checks }: DoctorNeeds,
  own: readonly Check[],
  kinds: readonly Check["kind"][],
  signal: AbortSignal,
  ms: number = reachingMs,
): Promise<readonly CheckRow[]> {
  const others = [...checks.values()].filter(({ kind }) => kinds.includes(kind));
  const [ours, theirs] = await Promise.all([askAll(own, ms, signal), askAll(others, ms, signal)]);
  return merged(ours, theirs);
}

/** A plugin's own word about a thing goes before ours, and the same word is told once. */
function merged(ours: readonly CheckRow[], theirs: readonly CheckRow[]): readonly CheckRow[] {
  const covered = new Set(theirs.map(({ what }) => what));
  const all = [...ours.filter(({ what }) => !covered.has(what)), ...theirs];
  // Checks that ask a silent store hang with it.
  const isSilent = all.some(({ what, state }) => what === "store" && state === "fail");
  const rows = all.filter(
    ({ what, detail }) => what === "store" || !isSilent || !detail.includes(`failed: ${silence}`),
  );
  return [...new Map(rows.map((row) => [sameFault(row), row])).values()];
}

/** A store that fails says it in other words at each try. */
function sameFault({ what, state, detail }: CheckRow): string {
  return JSON.stringify(what === "store" && state === "fail" ? [what, state] : [what, state, detail]);
}
