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

/** Returns the value with every secret inside it hidden, at whatever depth. */
export function masked(key: string, value: unknown): unknown {
  if (typeof value === "string") return isSecret(key) && value !== "" ? "********" : shownAddress(value);
  if (Array.isArray(value)) return value.map((item) => masked(key, item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, masked(`${key}.${name}`, item)]),
  );
}
