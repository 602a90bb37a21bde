import { GantryError, type ShellReader } from "@gantry/sdk";

/** A command of literal words. */
export interface PlainCommand {
  readonly words: readonly string[];
  /** It stands behind a pipe, or is started by what does. */
  readonly fed: boolean;
}

/**
 * Every command that a shell text runs, those that other commands start included. Undefined where the text is more than
 * commands of literal words, or nobody reads it.
 */
export async function plainCommands(
  text: string,
  shell: ShellReader | undefined,
): Promise<readonly PlainCommand[] | undefined> {
  const reading = await shell?.read(text).catch((error: unknown) => {
    if (error instanceof GantryError) return undefined;
    throw error;
  });
  if (!reading?.plain) return undefined;
  const { commands, fed, files } = reading;
  const whole = commands.every((command) => command.every((word) => word.whole));
  if (!whole || files.length > 0) return undefined;
  return commands.map((command) => ({ words: command.map(({ text: word }) => word), fed: fed.has(command) }));
}
