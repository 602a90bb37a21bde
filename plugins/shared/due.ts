/** Returns the first due time behind `after` (both Unix ms); undefined if there is none. */
export type NextDue = (after: number) => number | undefined;

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a number of minutes, hours or days, as in `90m`, as ms; undefined for any other text. */
export function lengthOf(period: string): number | undefined {
  const [, count = "", unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(period) ?? [];
  const length = Number(count) * (units[unit as keyof typeof units] ?? 0);
  return length === 0 ? undefined : length;
}

/** Falls due every `length` ms from `made` (Unix ms) on. */
export function everyDue(length: number, made: number): NextDue {
  return (after) => made + (Math.floor(Math.max(0, after - made) / length) + 1) * length;
}

/** Reads five fields: minute, hour, day of the month, month, day of the week. Throws an Error. */
export async function cronDue(cron: string, zone?: string): Promise<NextDue> {
  const { Cron: Pattern } = await import("croner");
  const options = { paused: true, mode: "5-part", ...(zone !== undefined && { timezone: zone }) } as const;
  const pattern = new Pattern(cron, options);
  return (after) => pattern.nextRun(new Date(after))?.getTime();
}
