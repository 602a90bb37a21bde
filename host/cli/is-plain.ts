/**
 * Returns true if a terminal takes text alone, as for a screen reader: no escape sequence is
 * written there, so there are no colours, no spinner and no editing but the system's own.
 */
export function isPlain(env: NodeJS.ProcessEnv = process.env): boolean {
  return env["TERM"] === "dumb" || (env["NO_COLOR"] ?? "") !== "";
}
