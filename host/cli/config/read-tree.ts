import type { GantryError } from "@gantry/sdk";
import { isSecret } from "@gantry/sdk/fill";
import { isTree, parseToml, wrongAt, type ConfigText } from "@gantry/host";
import { errors } from "../errors.ts";
import { linesOf } from "./line-of.ts";

/** A configuration as it was read. */
export interface ReadTree {
  readonly text: ConfigText;
  readonly problems: GantryError[];
  /** Why keys are left out of the tree. */
  readonly leftOut: readonly GantryError[];
}

/**
 * Returns the text as a tree in which every `${NAME}` is replaced; reports all that is missing at
 * once. With `mayLeaveOut` a key whose variable is not set is left out, but for those of
 * `security`: a rule must not vanish.
 */
export function readTree(
  file: string,
  text: string,
  env: NodeJS.ProcessEnv,
  mayLeaveOut: boolean = false,
): ReadTree {
  const tree = parseToml(file, text);
  const lineOf = linesOf(text);
  const problems: GantryError[] = [];
  const leftOut: GantryError[] = [];
  const replaced = replaceVariables(tree, [], (name, path) => {
    const value = env[name];
    if (isSecret(name) && isSent(path))
      problems.push(wrongAt(path, errors.CONFIG_SECRET_VARIABLE(file, lineOf(path), path.join("."), name)));
    if (value !== undefined) return value;
    const missing = errors.CONFIG_MISSING_VARIABLE(file, lineOf(path), path.join("."), name);
    const isLeftOut = mayLeaveOut && path[0] !== "security";
    (isLeftOut ? leftOut : problems).push(wrongAt(path, missing));
    return isLeftOut ? undefined : `\${${name}}`;
  });
  return { text: { file, tree: replaced as Record<string, unknown>, lineOf }, problems, leftOut };
}

/**
 * True for what is told to a model, or stands in an address that is asked; a store's may hold its
 * password.
 */
function isSent([table, ...rest]: readonly string[]): boolean {
  const isTold = ["agent", "default_provider", "default_model", "fallback_providers"].includes(table ?? "");
  return isTold || (table !== "store" && /(?:^|_)(?:url|model)$/.test(rest.at(-1) ?? ""));
}

/** Undefined for a text, or a list with one, in which `lookUp` leaves something out. */
function replaceVariables(
  value: unknown,
  path: readonly string[],
  lookUp: (name: string, path: readonly string[]) => string | undefined,
): unknown {
  if (typeof value === "string") return replaceIn(value, (name) => lookUp(name, path));
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceVariables(item, path, lookUp));
    return items.includes(undefined) ? undefined : items;
  }
  if (!isTree(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    replaceVariables(item, [...path, key], lookUp),
  ]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function replaceIn(text: string, lookUp: (name: string) => string | undefined): string | undefined {
  let isWhole = true;
  const replaced = text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = lookUp(name);
    if (value === undefined) isWhole = false;
    return value ?? "";
  });
  return isWhole ? replaced : undefined;
}
