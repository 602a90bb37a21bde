import { shownAddress } from "@gantry/sdk";

const secretKey = /(?:^|_)(?:api_key|key|token|secret|password)s?$/i;

/** True where the value of this key must not be shown unasked. */
export function isSecret(key: string): boolean {
  return secretKey.test(key.split(".").at(-1) ?? "");
}

/** The value with every secret inside it hidden. */
export function masked(key: string, value: unknown): unknown {
  if (typeof value === "string") return isSecret(key) && value !== "" ? "********" : shownAddress(value);
  if (Array.isArray(value)) return value.map((item) => masked(key, item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, masked(name, item)]));
}
