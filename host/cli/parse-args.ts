import { Command as Commander, CommanderError } from "commander";
import { errors, type Command } from "@gantry/sdk";
import type { OptionValue } from "@gantry/sdk/fill";
import { version } from "@gantry/host";
import type { HostCommand } from "./commands/host-command.ts";

export type AnyWord = Command | HostCommand;
export type Parsed =
  | { readonly kind: "printed"; readonly code: number }
  | {
      readonly kind: "word";
      readonly word: AnyWord;
      readonly args: readonly string[];
      readonly options: Readonly<Record<string, OptionValue>>;
    };

/**
 * Reads a command line against the known words; prints help and version by itself; throws USAGE.
 */
export async function parseArgs(argv: readonly string[], words: readonly AnyWord[]): Promise<Parsed> {
  let found: Parsed = { kind: "printed", code: 0 };
  const program = new Commander("gantry")
    .description("A small agent runtime, closed by default.")
    .version(version)
    .option("--debug", "print stacks and debug logs")
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  const groups = new Map<string, Commander>();
  for (const word of words.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const [first = "", second] = word.name.split(" ");
    const parent = second
      ? (groups.get(first) ?? program.command(first).description(groupSummary(first, words)).exitOverride())
      : program;
    if (second) groups.set(first, parent);
    const command = parent
      .command([second ?? first, ...(word.args ?? [])].join(" "))
      .description(word.summary)
      .exitOverride();
    command.configureOutput({ outputError: () => {} });
    for (const { flags, summary, repeatable } of word.options ?? []) {
      if (repeatable) command.option(flags, summary, collected, []);
      else command.option(flags, summary);
    }
    command.action((...given: unknown[]) => {
      const args = given
        .slice(0, -2)
        .flat()
        .filter((arg): arg is string => typeof arg === "string");
      found = {
        kind: "word",
        word,
        args,
        options: given.at(-2) as Record<string, OptionValue>,
      };
    });
  }
  try {
    await program.parseAsync(helpAsked(argv, words), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "printed", code: 0 };
    if (error.code === "commander.help") return { kind: "printed", code: 2 };
    const known = words.find(({ name }) => argv.join(" ").startsWith(name))?.name;
    throw errors.USAGE(sentence(error.message), known ? `${known} ` : "");
  }
  return found;
}

/**
 * The library's own `help` knows words of one part only, and passes over those that are unknown.
 */
function helpAsked(argv: readonly string[], words: readonly AnyWord[]): string[] {
  const [first, ...rest] = argv;
  if (first !== "help" || rest.length === 0) return [...argv];
  const isKnown = words.some(({ name }) => name.split(" ")[0] === rest[0]);
  return isKnown ? [...rest, "--help"] : rest;
}

function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function groupSummary(first: string, words: readonly AnyWord[]): string {
  return words
    .flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []))
    .join(", ");
}

function sentence(message: string): string {
  const text = message
    .replace(/^error: /, "")
    .replaceAll("\n", " ")
    .replace(/\.$/, "");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
