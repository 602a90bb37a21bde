import type { PlainCommand } from "@gantry/sdk";
import type { SyntaxNode } from "unbash";
import { canStart } from "../programs/starting.ts";
import { argOf, UNKNOWN } from "./words.ts";

/** Characters that make more of a text than commands, wherever they stand outside quotes. */
const SIGNS = /[(){}<>$`*?[\]!#~]/;

/**
 * Returns each command in a text that is nothing but commands of literal words, one after the other
 * or piped. Undefined if anything of it is known only at run time, redirected, assigned or
 * repeated.
 */
export function plainCommands(source: string, tree: SyntaxNode): readonly PlainCommand[] | undefined {
  const found: PlainCommand[] = [];
  // A parser may read on over a character that bash stumbles at.
  return take(tree, false, found) && !SIGNS.test(unquoted(source)) ? found : undefined;
}

/** Without what is quoted, and without the `{}` of find. */
function unquoted(text: string): string {
  return text.replace(/\\[^]|'[^']*'|"[^"$`\\]*"|(?<=\s)\{\}(?=\s|$)/g, "");
}

/** Adds the commands of a node to `found`; false at the first node that is more. */
function take(node: SyntaxNode, fed: boolean, found: PlainCommand[]): boolean {
  switch (node.type) {
    case "Script":
      return !node.errors?.length && node.commands.every((one) => take(one, fed, found));
    case "Statement":
      return !node.background && take(node.command, fed, found);
    case "AndOr":
      return node.commands.every((one) => take(one, fed, found));
    case "Pipeline":
      if (node.prefixes.length > 0) return false;
      return node.commands.every((one, i) => take(one, fed || i > 0, found));
    case "Command": {
      const words = [node.name, ...node.suffix].map(wordOf);
      const known = words as string[];
      found.push({ words: known, fed, startsOthers: canStart(known) });
      return node.prefix.length === 0 && !words.includes(undefined);
    }
    default:
      return false;
  }
}

function wordOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== "Word") return undefined;
  const { text, whole, many, guess } = argOf(node);
  return whole && !many && !guess.includes(UNKNOWN) ? text : undefined;
}
