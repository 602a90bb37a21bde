/**
 * The platform's ids begin with the time they were made at:
 * https://docs.discord.com/developers/reference#snowflakes
 */
const epochMs = 1_420_070_400_000n;

/** Returns true for the form of an id; what comes from outside may be anything. */
export function isId(id: unknown): id is string {
  return typeof id === "string" && /^[0-9]{1,20}$/.test(id);
}

/** Returns the lowest id of a moment, Unix ms. */
export function idAt(ms: number): string {
  const since = BigInt(Math.floor(ms)) - epochMs;
  return String((since > 0n ? since : 0n) << 22n);
}
