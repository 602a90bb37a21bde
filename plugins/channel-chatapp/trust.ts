import type { Trust } from "@gantry/sdk";
import type { Settings } from "./settings.ts";

/** How far a number is trusted; undefined if it may not write at all. */
export function trustOf(
  number: string,
  { allowedNumbers, owners }: Pick<Settings, "allowedNumbers" | "owners">,
): Trust | undefined {
  if (owners.includes(number)) return "owner";
  const listed = allowedNumbers.filter((one) => one !== "*");
  if (listed.includes(number)) return allowedNumbers.length === 1 && owners.length === 0 ? "owner" : "member";
  return allowedNumbers.includes("*") ? "guest" : undefined;
}
