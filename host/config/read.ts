import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { parse, TomlError } from "smol-toml";
import { GantryError } from "@gantry/sdk";
import { isSecret } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { isTree, type ConfigText } from "./check.ts";
import { linesOf, type LineOf } from "./line-of.ts";
import { wrongAt } from "./wrong-at.ts";

/** Undefined where there is no file; throws coded errors where there is one that cannot be read. */
export async function readText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw errors.CONFIG_UNREADABLE(file, code);
  }
  // Read leniently, a letter of another encoding would be lost for good with the next `config set`.
  if (!isUtf8(bytes)) throw notUtf8(file, bytes);
  return bytes.toString("utf8");
}

function notUtf8(file: string, bytes: Buffer): GantryError {
  const lines = bytes.toString("latin1").split("\n");
  const at = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  const column = Buffer.from(lines[at] ?? "", "latin1")
    .toString("utf8")
    .indexOf("\ufffd");
  return errors.CONFIG_TOML(file, at + 1, column + 1, "it is not UTF-8");
}

export function parseToml(file: string, text: string): { tree: Record<string, unknown>; lineOf: LineOf } {
  try {
    return { tree: parse(text), lineOf: linesOf(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw errors.CONFIG_TOML(file, error.line, error.column, what);
  }
}

/** A configuration as it was read. */
export interface ReadTree {
  readonly text: ConfigText;
  readonly problems: GantryError[];
  /** Why keys are left out of the tree. */
  readonly leftOut: readonly GantryError[];
}

/**
 * The text as a tree in which every `${NAME}` is replaced; what is missing is reported, all at once. With `mayLeaveOut` a key
 * whose variable is not set is left out, but for those of `security`: a rule must not vanish.
 */
export function readTree(
  file: string,
  text: string,
  env: NodeJS.ProcessEnv,
  mayLeaveOut: boolean = false,
): ReadTree {
  const { tree, lineOf } = parseToml(file, text);
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

/** True for what is told to a model, or stands in an address that is asked; a store's may hold its password. */
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
