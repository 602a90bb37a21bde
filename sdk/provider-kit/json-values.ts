/** An object that a server sent, before anything in it is believed. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object and not a list; else undefined. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** Returns the value if it is a list; else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a text; else undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a count of tokens, or undefined if the server sent something else. */
export function asCount(value: unknown): number | undefined {
  const count = typeof value === "number" ? Math.floor(value) : Number.NaN;
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

/** Returns true if a text is JSON as a whole. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
