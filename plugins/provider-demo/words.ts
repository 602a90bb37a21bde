import type { Wish } from "./requests.ts";

export const HONEST =
  "This is the built-in demo, not a language model: for a real one set `default_provider` and a credential in config.toml, or run `gantry onboard`.";

const LINES = 60;

interface Words {
  /** An example of a request, for help. */
  readonly example: string;
  /** "I listed …" without the I. */
  readonly did: (args: Wish["args"]) => string;
  readonly wanted: (args: Wish["args"]) => string;
}

const where = ({ path }: Wish["args"]): string => (path ? `\`${path}\`` : "the workspace");

const WORDS: Readonly<Record<string, Words>> = {
  file_list: {
    example: "List the files here",
    did: (args) => `listed ${where(args)}`,
    wanted: (args) => `list ${where(args)}`,
  },
  file_read: {
    example: "Read notes.txt",
    did: ({ path }) => `read \`${path}\``,
    wanted: ({ path }) => `read \`${path}\``,
  },
  file_write: {
    example: 'Write "hello" to notes.txt',
    did: ({ path }) => `wrote to \`${path}\``,
    wanted: ({ path }) => `write to \`${path}\``,
  },
  shell: {
    example: "Run `ls -la`",
    did: ({ command }) => `ran \`${command}\``,
    wanted: ({ command }) => `run \`${command}\``,
  },
  memory_store: {
    example: "Remember that I like tea",
    did: () => "stored that in memory",
    wanted: () => "store that in memory",
  },
  memory_recall: {
    example: "What do you know about tea?",
    did: ({ query }) => `searched the memory for "${query}"`,
    wanted: ({ query }) => `search the memory for "${query}"`,
  },
};

/** A tool's result without the marks for a model. */
export interface ResultText {
  readonly text: string;
  readonly failed: boolean;
}

/** One tool result told to a person; a refusal is told as what it is. */
export function summary(wish: Wish, result: ResultText): string {
  const words = WORDS[wish.tool];
  if (result.failed)
    return `I tried to ${words?.wanted(wish.args) ?? `use ${wish.tool}`}, and it was not done: ${result.text.trim()}`;
  const text = result.text.trim();
  const did = `I ${words?.did(wish.args) ?? `used ${wish.tool}`} with the tool ${wish.tool}`;
  if (text === "") return `${did}. It gave no text.`;
  const lines = text.split("\n");
  const more = lines.length > LINES ? `\n… and ${lines.length - LINES} more lines.` : "";
  return `${did}. ${lines.length === 1 ? "The result" : `The result has ${lines.length} lines`}:\n${lines.slice(0, LINES).join("\n")}${more}`;
}

export function missingTool(wish: Wish): string {
  return `I understood that I should ${WORDS[wish.tool]?.wanted(wish.args) ?? `use ${wish.tool}`}, but the tool ${wish.tool} is not offered to me here: it is switched off, or its plugin is not loaded. Nothing was done.`;
}

export function notUnderstood(text: string, offered: ReadonlySet<string>): string {
  const examples = Object.entries(WORDS).flatMap(([tool, words]) =>
    offered.has(tool) ? [`- ${words.example}`] : [],
  );
  const other = [...offered].find((tool) => !Object.hasOwn(WORDS, tool));
  if (other !== undefined) examples.push(`- Use ${other} with {"its": "arguments"}, or any other tool`);
  const opening =
    text === ""
      ? "There was no text to answer."
      : "I know only a few plain requests, and that was none of them.";
  if (examples.length === 0) return `${opening} No tool that I know is offered to me here either.`;
  return `${opening} These I can do, with the real tools and under the real policy:\n${examples.join("\n")}`;
}
