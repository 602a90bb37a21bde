import { createHash } from "node:crypto";

/**
 * Returns a short name for a person or a conversation that logs and metrics may hold: always the
 * same for the same one.
 */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
