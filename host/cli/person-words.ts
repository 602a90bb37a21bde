import { existsSync } from "node:fs";
import type { ChatCommand } from "@gantry/sdk";

/** True for a word that answers a question of approval, as Enter does. */
export function isAnswer(word: string): boolean {
  return word === "" || ["yes", "no", "always", "this", "explain"].some((one) => isWordFor(one, word));
}

/** Returns the decision that a word is; anything but a clear yes is a no. */
export function decisionOf(word: string): "allow" | "always" | "deny" {
  if (isWordFor("always", word) || isWordFor("this", word)) return "always";
  return isWordFor("yes", word) ? "allow" : "deny";
}

/** The word itself or its first letter, in letters of either case. */
export function isWordFor(whole: string, word: string): boolean {
  return [whole, whole[0]].includes(word.toLowerCase());
}

const commandForm = /^\s*\/([a-z][a-z0-9-]*)(?:@\w+)?(?:\s|$)/i;

/** True for a word behind a slash; a path such as `/etc/hosts` is none. */
export function isCommand(line: string): boolean {
  return commandForm.test(line);
}

/**
 * Returns a line as it is sent: one that begins with a file or folder at the root of this machine,
 * such as `/tmp`, is a message if no command has the word.
 */
export async function asSent(
  line: string,
  commands: ReadonlyMap<string, ChatCommand> = new Map(),
): Promise<string> {
  const word = commandForm.exec(line)?.[1];
  if (word === undefined || commands.has(word.toLowerCase()) || !existsSync(`/${word}`)) return line;
  for (const command of commands.values()) if (await command.alsoFor?.(word)) return line;
  return line.replace("/", "//");
}
