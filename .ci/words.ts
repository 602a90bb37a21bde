import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Commands } from "@gantry/sdk";
import type { CommandOption } from "@gantry/sdk/fill";
import { hostCommands, Installation } from "@gantry/cli";

/** A word of the command line, without what it does. */
export interface Word {
  readonly name: string;
  readonly summary: string;
  readonly args: readonly string[];
  readonly options: readonly CommandOption[];
}

/**
 * The words of the host and of the plugins that are loaded where the configuration names none, by
 * name.
 */
export async function allWords(): Promise<readonly Word[]> {
  const dir = mkdtempSync(path.join(tmpdir(), "gantry-words-"));
  try {
    const installation = new Installation(dir);
    // Loads the plugins, too, that are loaded for a word of theirs alone.
    installation.word = "help";
    const host = await installation.start(() => {}, { debug: false, ready: false });
    const words = [...hostCommands, ...(host.get(Commands)?.values() ?? [])];
    await host.stop();
    return words
      .map(({ name, summary, args = [], options = [] }) => ({ name, summary, args, options }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The options that every word takes. */
export const everywhere: readonly CommandOption[] = [
  { flags: "--debug", summary: "print stacks and debug logs" },
  { flags: "-h, --help", summary: "display help" },
];

/** The names that flags are given by: `-m, --message <text>` is `-m` and `--message`. */
export function flagNames({ flags }: CommandOption): readonly string[] {
  return flags.split(/,\s*/).map((flag) => flag.split(" ")[0] ?? "");
}

/** Returns true if a value follows the flag. */
export function takesValue({ flags }: CommandOption): boolean {
  return /[<[]/.test(flags);
}
