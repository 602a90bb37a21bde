/**
 * Returns the names among what a server listed: each once, and none that is empty or could forge a
 * line on a terminal.
 */
export function modelNames(listed: readonly unknown[]): readonly string[] {
  return [...new Set(listed)].filter(
    (name) => typeof name === "string" && /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name),
  ) as string[];
}
