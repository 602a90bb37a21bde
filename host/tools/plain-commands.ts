import { GantryError, type ShellReader } from "@gantry/sdk";

/**
 * The words of every command that a shell text runs, those that other commands start included. Undefined where the text
 * is more than commands of literal words, or nobody reads it.
 */
export async function plainCommands(
  text: string,
  shell: ShellReader | undefined,
): Promise<readonly (readonly string[])[] | undefined> {
  const reading = await shell?.read(text).catch((error: unknown) => {
    if (error instanceof GantryError) return undefined;
    throw error;
  });
  if (!reading?.plain) return undefined;
  const whole = reading.commands.every((command) => command.every((word) => word.whole));
  if (!whole || reading.files.length > 0) return undefined;
  return reading.commands.map((command) => command.map((word) => word.text));
}
