import { pathOf } from "../store/dotted-key.ts";
import { shownAddress } from "../models/shown-address.ts";

/**
 * The last word of a key or of a variable, however it is written: `api_key`, `botTokens`,
 * `PGPASSWORD`.
 */
const lastWord =
  /(?:(?:^|[_-])(?:key|token|secret|passphrase|passwd|authorization|cookie)|apikey|password)s?$/;

/**
 * Returns true if the value of this key must not be shown unasked: the one rule for configuration,
 * environment and questions.
 */
export function isSecret(key: string): boolean {
  // A header that identifies the owner may have any name.
  if (/(?:^|\.)headers\./.test(key)) return true;
  const name = key.split(".").at(-1) ?? "";
  return lastWord.test(name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase());
}

const mask = "********";

/** Returns the value with every secret inside it hidden, at whatever depth. */
export function masked(key: string, value: unknown): unknown {
  if (typeof value === "string") return isSecret(key) && value !== "" ? mask : shownAddress(value);
  if (Array.isArray(value)) return value.map((item) => masked(key, item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, masked(`${key}.${name}`, item)]),
  );
}

/** Returns the values of dotted keys as they may be shown, however the keys are spelled. */
export function maskedKeys(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, masked(plainKey(key), value ?? null)]),
  );
}

/** Returns a dotted key without its quotes. */
function plainKey(key: string): string {
  return pathOf(key)?.join(".") ?? key;
}

/**
 * Returns true if a change of this dotted key, however it is spelled, would put a secret in: the
 * key is one of a secret, or one inside its value is.
 */
export function putsSecret(key: string, value: unknown): boolean {
  return isSecret(plainKey(key)) || hidesAny(masked(plainKey(key), value), value);
}

/** True if what may be shown of a value is not all of it, or is itself the mask of a secret. */
function hidesAny(shown: unknown, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return shown !== value || value === mask;
  return Object.entries(value).some(([name, item]) => hidesAny((shown as typeof value)[name as never], item));
}
