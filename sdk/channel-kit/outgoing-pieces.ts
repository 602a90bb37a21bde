import { describeMedia, type MediaRef, type Part } from "../messages/content.ts";
import { readMarkdown } from "./markdown.ts";
import type { RichText } from "./rich-text.ts";
import { splitRichText, splitVerbatim, type SplitOptions } from "./split.ts";

/** What goes out as one message: words with their forms, or a file. */
export type OutgoingPiece =
  | {
      readonly text: RichText;
      /** It has no form, and must be given none: escaped, or not sent at all. */
      readonly verbatim?: true;
    }
  | { readonly media: MediaRef; readonly bytes: Uint8Array };

/** How long a text may be is given as to {@link splitRichText}. */
export interface PieceOptions extends SplitOptions {
  /** The bytes of a piece of media; undefined where they are not kept, or no longer. */
  open(id: string): Promise<Uint8Array | undefined>;
  /** A line in place of a file that the platform would not take; undefined for one that goes out. */
  asWords?(media: MediaRef, bytes: Uint8Array): string | undefined;
}

/**
 * An answer as messages, in order: neighbouring text is one text, cut where it is long; media without bytes is a line of it.
 * What is verbatim has messages of its own.
 */
export async function outgoingPieces(
  parts: readonly Part[],
  options: PieceOptions,
): Promise<readonly OutgoingPiece[]> {
  const pieces: OutgoingPiece[] = [];
  let text = "";
  const flush = async (): Promise<void> => {
    for (const piece of splitRichText(await readMarkdown(text), options)) pieces.push({ text: piece });
    text = "";
  };
  for (const part of parts) {
    if (part.type === "text" && part.verbatim) {
      await flush();
      for (const piece of splitVerbatim(part.text, options)) pieces.push({ text: piece, verbatim: true });
      continue;
    }
    if (part.type === "text") text += `${text === "" ? "" : "\n"}${part.text}`;
    if (part.type !== "media") continue;
    const { media } = part;
    const bytes = await options.open(media.id).catch(() => undefined);
    const words = bytes === undefined ? describeMedia(media) : options.asWords?.(media, bytes);
    if (bytes === undefined || words !== undefined) {
      text += `\n${words}`;
      continue;
    }
    await flush();
    pieces.push({ media, bytes });
  }
  await flush();
  return pieces;
}
