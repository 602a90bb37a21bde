import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { canStart } from "./programs/starting.ts";

/** Returns a warning for each rule of `security.allow` that can cover no command line. */
export function idleRules(allow: readonly string[]): readonly GantryError[] {
  return allow.filter(isIdle).map((rule) => errors.ALLOW_IDLE(rule.trim()));
}

/** True if a wildcard stands where only the exact command line, or an option's whole name, covers. */
function isIdle(rule: string): boolean {
  const [, pattern = ""] = /^\s*[\w-]+\s*:\s*(?:\|\s*)?(\S.*?)\s*$/s.exec(rule) ?? [];
  const [program = "", ...rest] = pattern.split(/\s+/);
  const starred = rest.filter((word) => /[*?]/.test(word));
  const isOpenGit = program === "git" && starred[0] === rest[0];
  const mustBeExact = starred.length > 0 && !isOpenGit && canStart([program, ...rest]);
  return mustBeExact || starred.some((word) => word.startsWith("-") && !/^--[\w-]+=/.test(word));
}
