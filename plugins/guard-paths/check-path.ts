import path from "node:path";
import { errors as common, refuse, type PathUse, type Refusal } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { expand, isOpen, type Roots } from "./roots.ts";
import { isRepository } from "./sensitive.ts";
import { spellings } from "./spellings.ts";

/** The guard's no on one path that a tool says it will use, or undefined. */
export function checkPath(use: PathUse, cwd: string, roots: Roots): Refusal | undefined {
  const allowed = use.access === "write" ? roots.write : roots.read;
  if (!isOpen(use.resolved, allowed, roots)) return outside(use.path);
  for (const spelling of spellings(use.path)) {
    if (spelling.includes("\0")) return outside(use.path);
    const lexical = expand(spelling, cwd);
    // As written it was resolved with links followed; what it could be taken for is judged as it
    // stands.
    if (spelling !== use.path && !isOpen(lexical, allowed, roots)) return outside(use.path);
    if (roots.names.isSecret(path.relative(cwd, lexical))) return sensitive(use.path, use.access);
  }
  const inside = path.relative(roots.workspace, use.resolved);
  if (
    roots.names.isSecret(inside) ||
    (use.access === "write" && (roots.names.isObeyed(inside) || isRepository(inside)))
  )
    return sensitive(use.path, use.access);
  return undefined;
}

export function outside(written: string): Refusal {
  return refuse(common.PATH_OUTSIDE(printable(written)));
}

export function sensitive(written: string, access: string): Refusal {
  return refuse(errors.PATH_SENSITIVE(printable(written), access));
}

export function printable(written: string): string {
  return JSON.stringify(written.length > 200 ? `${written.slice(0, 200)}…` : written).slice(1, -1);
}
