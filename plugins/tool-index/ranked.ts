import type { ToolFacts } from "@gantry/sdk/fill";

/** The weight of a word, by its place. */
const weights = { name: 8, input: 2, description: 1 } as const;

type Place = keyof typeof weights;

/**
 * Returns the tools that hold a word of the query, those that hold most of it first, then by name.
 */
export function ranked(tools: readonly ToolFacts[], query: string): readonly ToolFacts[] {
  const words = wordsOf(query);
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, query, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function scoreOf({ name, description, input }: ToolFacts, query: string, words: readonly string[]): number {
  if (name.toLowerCase() === query.trim().toLowerCase()) return Infinity;
  const fields = Object.keys(Object(input["properties"]) as object).join(" ");
  const texts: Readonly<Record<Place, readonly string[]>> = {
    name: wordsOf(name),
    input: wordsOf(fields),
    // A description has too many words such as `of`.
    description: wordsOf(description).filter((word) => word.length > 2),
  };
  const places = Object.keys(weights) as readonly Place[];
  const scores = words.map((word) =>
    Math.max(...places.map((at) => weights[at] * likeness(texts[at], word))),
  );
  const held = scores.filter((score) => score > 0).length;
  // A tool that holds two of the words comes before one that holds the same word in more places.
  return held === 0 ? 0 : held * 100 + scores.reduce((sum, score) => sum + score, 0);
}

/**
 * Returns 1 if the word stands there, ½ if one begins as the other does, so that `issues` finds
 * `issue`.
 */
function likeness(texts: readonly string[], word: string): number {
  if (texts.includes(word)) return 1;
  const isAlike = (text: string): boolean =>
    Math.min(text.length, word.length) >= 4 && (text.startsWith(word) || word.startsWith(text));
  return texts.some(isAlike) ? 0.5 : 0;
}

/** Returns the words of a text in lower case: `createIssue` and `create_issue` are two each. */
function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/(\p{Ll})(?=\p{Lu})/gu, "$1 ").toLowerCase();
  return [...new Set(apart.match(/[\p{L}\p{N}]+/gu))];
}
