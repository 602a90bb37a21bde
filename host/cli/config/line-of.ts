import { parse } from "smol-toml";
import type { LineOf } from "@gantry/host";

/** A table's head, or a key with its value, alone under the head of its table. */
interface Statement {
  /** Counted from 1. */
  readonly line: number;
  readonly tree: unknown;
}

/**
 * The beginning of a line that may begin a statement; lines within a text or a list may begin so
 * too.
 */
const beginning = /^\s*(?:\[|[\w-]+\s*[.=]|"(?:[^"\\]|\\.)*"\s*[.=]|'[^']*'\s*[.=])/;

/**
 * Finds lines in a text that is right TOML; it reads the text again when the first line is asked
 * for.
 */
export function linesOf(text: string): LineOf {
  let statements: readonly Statement[] | undefined;
  return (path) => {
    statements ??= statementsIn(text);
    for (let length = path.length; length > 0; length -= 1) {
      const part = path.slice(0, length);
      const found = statements.find(({ tree }) => holds(tree, part));
      if (found) return found.line;
    }
    return 1;
  };
}

/**
 * A statement ends before the first line that may begin another and up to which the text is whole.
 */
function statementsIn(text: string): readonly Statement[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const found: Statement[] = [];
  let [first, head] = [0, ""];
  for (let next = 1; next <= lines.length; next += 1) {
    if (next < lines.length && !beginning.test(lines[next] as string)) continue;
    const statement = lines.slice(first, next).join("\n");
    const isHead = /^\s*\[/.test(statement);
    const tree = parsed(isHead ? statement : `${head}\n${statement}`);
    if (tree === undefined) continue;
    found.push({ line: first + 1, tree });
    if (isHead) head = statement;
    first = next;
  }
  return found;
}

/** Returns undefined for a text that is not whole. */
function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function holds(tree: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (Array.isArray(tree)) return tree.some((item) => holds(item, [key, ...rest]));
  if (typeof tree !== "object" || tree === null || !Object.hasOwn(tree, key)) return false;
  return holds((tree as Readonly<Record<string, unknown>>)[key], rest);
}
