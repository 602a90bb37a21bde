import { isScope, scopes } from "@gantry/sdk/fill";
import type { CommandContext, Scope } from "@gantry/sdk";
import type { PairingGrant } from "@gantry/sdk/node";
import { isDeviceName } from "./devices.ts";
import { errors } from "./errors.ts";

/** The longest life of a token that ends. */
export const maxDays = 3_650;

/** The options of `pair new` and `pair token` that say what a token is good for. */
export const grantOptions = [
  {
    flags: "--may <scopes>",
    summary: "what the token may: some of talk,read,decide,manage (default: all)",
  },
  { flags: "--days <number>", summary: "days until the token has run out (default: never)" },
];

/**
 * Reads what a token is to be good for. Throws GATEWAY_BAD_SCOPE, GATEWAY_BAD_DAYS and
 * GATEWAY_DEVICE_NAME.
 */
export function grantOf({ may, days, name }: CommandContext["options"]): PairingGrant {
  if (typeof name === "string" && !isDeviceName(name)) throw errors.GATEWAY_DEVICE_NAME();
  return {
    may: typeof may === "string" ? scopesIn(may) : scopes,
    ...(typeof name === "string" && { name }),
    ...(typeof days === "string" && { days: daysIn(days) }),
  };
}

function scopesIn(text: string): readonly Scope[] {
  const words = text.split(",").map((word) => word.trim());
  const wrong = words.find((word) => !isScope(word));
  if (wrong !== undefined) throw errors.GATEWAY_BAD_SCOPE(wrong);
  return scopes.filter((scope) => words.includes(scope));
}

function daysIn(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > maxDays) throw errors.GATEWAY_BAD_DAYS(text, maxDays);
  return days;
}
