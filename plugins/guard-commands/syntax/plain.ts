import type { SyntaxNode } from "unbash";
import { argOf, UNKNOWN } from "./words.ts";

type Words = readonly string[];

/** How each kind of node that may stand in such a text is taken apart; any other kind makes it more than commands. */
const parts: Readonly<Record<string, (node: any) => readonly Words[] | undefined>> = {
  Script: ({ commands, errors }) => (errors?.length ? undefined : all(commands)),
  Statement: ({ command, background }) => (background ? undefined : wordsOf(command)),
  AndOr: ({ commands }) => all(commands),
  Pipeline: ({ commands, prefixes }) => (prefixes.length > 0 ? undefined : all(commands)),
  Command: ({ name, args, prefix, redirects }) =>
    name && prefix.length === 0 && redirects.length === 0 ? command([name, ...args]) : undefined,
};

/**
 * The words of each command in a text that is nothing but commands of literal words, one after the other or piped;
 * undefined where anything of it is known only at run time, redirected, assigned or repeated.
 */
export function plainCommands(source: string, tree: SyntaxNode): readonly Words[] | undefined {
  // A parser may read on over a sign that bash stumbles at.
  return SIGNS.test(unquoted(source)) ? undefined : wordsOf(tree);
}

/** What makes more of a text than commands, wherever it stands outside quotes. */
const SIGNS = /[(){}<>$`*?[\]!#~]/;

function unquoted(text: string): string {
  return text.replace(/\\[^]|'[^']*'|"[^"$`\\]*"/g, "");
}

function wordsOf(node: SyntaxNode): readonly Words[] | undefined {
  return parts[node.type]?.(node);
}

function all(nodes: readonly SyntaxNode[]): readonly Words[] | undefined {
  const found = nodes.map(wordsOf);
  return found.some((words) => words === undefined) ? undefined : (found as (readonly Words[])[]).flat();
}

function command(nodes: readonly SyntaxNode[]): readonly Words[] | undefined {
  const words = nodes.map((node) => {
    if (node.type !== "Word") return undefined;
    const { text, whole, many, guess } = argOf(node);
    return whole && !many && !guess.includes(UNKNOWN) ? text : undefined;
  });
  return words.includes(undefined) ? undefined : [words as string[]];
}
