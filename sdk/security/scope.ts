import { errors } from "../contract/codes.ts";
import type { GantryError } from "../contract/errors.ts";

/**
 * The uses of a token. `talk`: turns in conversations of its own. `read`: every conversation, the
 * audit log, usage, status. `decide`: answering questions. `manage`: seeing the configuration,
 * plugins, devices and all else. A change of the configuration grants everything, so it needs all
 * four: a token that has them is the owner.
 */
export const scopes = ["talk", "read", "decide", "manage"] as const;
export type Scope = (typeof scopes)[number];

/** Returns true for a word that is a scope. */
export function isScope(word: unknown): word is Scope {
  return (scopes as readonly unknown[]).includes(word);
}

/** The paired device that a request comes from. */
export interface Caller {
  readonly device: string;
  /** Undefined if another paired device had the name first. */
  readonly name?: string;
  readonly may: readonly Scope[];
}

/**
 * Returns the refusal of what needs a scope that a caller, or a person without a token, lacks;
 * `all` are the scopes that it needs.
 */
export function lacking(
  scope: Scope,
  caller: Caller | undefined,
  all: readonly Scope[] = [scope],
): GantryError {
  if (!caller) return errors.SCOPE_MISSING(scope, "only an owner has: ask one");
  const has = caller.may.length > 0 ? caller.may.join(",") : "nothing";
  const cure = `pair it by a code of \`gantry pair new --may ${all.join(",")}\``;
  return errors.SCOPE_MISSING(scope, `the device ${caller.device} lacks (it has ${has}): ${cure}`);
}
