import { createInterface } from "node:readline/promises";
import type { CommandContext } from "@gantry/sdk";

/** True for a clear yes, or with --yes; false where nobody is there to ask. */
export async function askPerson(
  { options, interactive, signal }: CommandContext,
  question: string,
): Promise<boolean> {
  if (options["yes"] === true) return true;
  if (!interactive) return false;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(es)?\s*$/i.test(await reader.question(`${question} [y/N] `, { signal }));
  } catch {
    return false;
  } finally {
    reader.close();
  }
}
