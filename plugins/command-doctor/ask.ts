import { errors, GantryError, type Check, type CheckRow } from "@gantry/sdk";

/** The beginning of the fault of a check that hangs. */
export const silence = "it did not answer in";
const states = new Set(["ok", "warn", "fail"]);

/** All checks beside each other, their rows in order. Never throws: a check that throws, hangs or answers nonsense is a failed row. */
export async function askAll(
  checks: readonly Check[],
  ms: number,
  signal: AbortSignal,
): Promise<readonly CheckRow[]> {
  return (await Promise.all(checks.map((check) => askOne(check, ms, signal)))).flat();
}

async function askOne(check: Check, ms: number, outer: AbortSignal): Promise<readonly CheckRow[]> {
  const limit = AbortSignal.timeout(ms);
  const signal = AbortSignal.any([limit, outer]);
  const cut = new Promise<string>((resolve) => {
    const stop = (): void => resolve(limit.aborted ? `${silence} ${ms / 1_000} s` : "it was cancelled");
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const answer: unknown = await Promise.race([(async () => check.run(signal))(), cut]);
    if (typeof answer === "string") return [failed(check, answer)];
    return Array.isArray(answer) && answer.every(isRow)
      ? answer
      : [failed(check, "it answered something else than rows")];
  } catch (error) {
    // Whatever check met it, it is one fault, and none of the check's own.
    if (error instanceof GantryError && ofStore.has(error.code))
      return [{ what: "store", state: "fail", detail: error.message }];
    if (error instanceof GantryError) return [{ what: check.name, state: "fail", detail: error.message }];
    return [failed(check, error instanceof Error ? error.message : String(error))];
  }
}

function failed({ name }: Check, why: string): CheckRow {
  return {
    what: name,
    state: "fail",
    detail: `the check failed: ${why}`,
    cure: "Run it again with --debug; a plugin of your own may be at fault.",
  };
}

/** The store's faults; each sentence names its cure. */
const ofStore: ReadonlySet<string> = new Set([
  errors.STORE_FAILED.code,
  errors.STORE_HELD.code,
  errors.STORE_NEWER.code,
]);

function isRow(value: unknown): value is CheckRow {
  const { what, state, detail, cure, fix } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof what === "string" &&
    states.has(state as string) &&
    typeof detail === "string" &&
    ["string", "undefined"].includes(typeof cure) &&
    (fix === undefined || isFix(fix))
  );
}

function isFix(value: unknown): boolean {
  const { label, run } = (value ?? {}) as Record<string, unknown>;
  return typeof label === "string" && typeof run === "function";
}
