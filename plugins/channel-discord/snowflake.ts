/**
 * The platform's ids begin with the time they were made at:
 * https://docs.discord.com/developers/reference#snowflakes
 */
const epochMs = 1_420_070_400_000n;

/** True for the form of an id; what comes from outside may be anything. */
export function isId(id: unknown): id is string {
  return typeof id === "string" && /^[0-9]{1,20}$/.test(id);
}

/** The lowest id of a moment, Unix ms. */
export function idAt(ms: number): string {
  const since = BigInt(Math.floor(ms)) - epochMs;
  return String((since > 0n ? since : 0n) << 22n);
}

export function laterOf(a: string, b: string): string {
  return compareIds(a, b) >= 0 ? a : b;
}

/** Below zero where `a` is the earlier one. */
export function compareIds(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
