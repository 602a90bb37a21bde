import type { CommandContext } from "@gantry/sdk";

/** Returns true for a clear yes, or with --yes; false if nobody is there to ask. */
export async function askPerson(
  { options, interactive, signal }: CommandContext,
  question: string,
): Promise<boolean> {
  if (options["yes"] === true) return true;
  if (!interactive) return false;
  // Every command loads the shared code of plugins, and few of them ask.
  const { createInterface } = await import("node:readline/promises");
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y(es)?\s*$/i.test(await reader.question(`${question} [y/N] `, { signal }));
  } catch {
    return false;
  } finally {
    reader.close();
  }
}
