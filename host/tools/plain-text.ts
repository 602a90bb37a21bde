import { GantryError, type PlainCommand, type ShellReader } from "@gantry/sdk";

/** The commands of a shell text that is nothing but commands of literal words. */
export interface PlainText {
  readonly commands: readonly PlainCommand[];
  /** One of them starts another command that stands among its words. */
  readonly startsOthers: boolean;
}

/**
 * Reads such a text. Undefined if the text is more than commands of literal words, or nobody reads
 * it.
 */
export async function plainText(
  text: string,
  shell: ShellReader | undefined,
): Promise<PlainText | undefined> {
  const reading = await shell?.read(text).catch((error: unknown) => {
    if (error instanceof GantryError) return undefined;
    throw error;
  });
  const { plain } = reading ?? {};
  return plain && { commands: plain, startsOthers: reading?.commands.length !== plain.length };
}
