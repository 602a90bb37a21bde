import { createHash } from "node:crypto";

/** Returns the SHA-256 (hex) of a JSON value, whatever the order of its keys. */
export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)) ?? "")
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  // As pairs, so that no name of a key means anything to the language.
  const pairs = Object.entries(value).filter(([, item]) => item !== undefined);
  return { pairs: pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]) };
}
