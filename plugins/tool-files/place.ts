import path from "node:path";

/**
 * A file as the other tools take it: relative to the workspace where it lies there. A name with a
 * line break is shown as JSON.
 */
export function shownPath(file: string, workspace: string): string {
  const relative = path.relative(workspace, file);
  const shown = relative.startsWith("..") ? file : relative || ".";
  return shownName(shown);
}

/** A name could hold a line break; as JSON it cannot pass for another entry. */
export function shownName(name: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ? JSON.stringify(name) : name;
}
