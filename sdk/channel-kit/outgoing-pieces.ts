import { describeMedia, type MediaRef, type Part } from "../messages/content.ts";
import { readMarkdown } from "./markdown.ts";
import { plainText, type RichText } from "./rich-text.ts";
import { splitRichText, splitVerbatim, type SplitOptions } from "./split.ts";

/** A file on its way out; `media.alt` is its caption. */
export interface OutgoingFile {
  readonly media: MediaRef;
  readonly bytes: Uint8Array;
}

/** The content of one message on its way out: words with their forms, or a file. */
export type OutgoingPiece =
  | {
      readonly text: RichText;
      /** It has no form, and must be given none: escaped, or not sent at all. */
      readonly verbatim?: true;
    }
  | OutgoingFile;

const copyMark = "(Sent again, as it may not have arrived.)\n";

/**
 * The length of the words that {@link asCopy} adds: a text that fits with them can be sent again.
 */
export const copyRoom: number = copyMark.length;

/** Returns the piece as a copy of one that may have arrived: its text or caption says so first. */
export function asCopy(piece: OutgoingPiece): OutgoingPiece {
  if (!("text" in piece)) {
    const { media } = piece;
    return { ...piece, media: { ...media, alt: `${copyMark}${media.alt ?? ""}`.trim() } };
  }
  const { text, spans } = piece.text;
  const by = copyRoom;
  const moved = spans.map((span) => ({ ...span, from: span.from + by, to: span.to + by }));
  return { ...piece, text: { text: `${copyMark}${text}`, spans: moved } };
}

/**
 * Returns the sentence that stands in for a file that the platform refused; undefined for words.
 */
export function inWords(piece: OutgoingPiece, reason: string): OutgoingPiece | undefined {
  if ("text" in piece) return undefined;
  return { text: plainText(`${describeMedia(piece.media)} was not delivered: ${reason}`) };
}

/** Options of {@link outgoingPieces}; the bounds of a text are those of {@link splitRichText}. */
export interface PieceOptions extends SplitOptions {
  /** Returns the bytes of a piece of media, or undefined if they are not kept, or no longer. */
  open(id: string): Promise<Uint8Array | undefined>;
  /** Returns a line in place of a file that the platform would not take, else undefined. */
  asWords?(media: MediaRef, bytes: Uint8Array): string | undefined;
}

/**
 * Returns an answer as messages, in order: neighbouring text is one text, cut if it is long; media
 * without bytes is a line of it. A verbatim text has messages of its own. Half a surrogate pair,
 * which platforms refuse, becomes a replacement character.
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
      for (const piece of splitVerbatim(part.text.toWellFormed(), options))
        pieces.push({ text: piece, verbatim: true });
      continue;
    }
    if (part.type === "text") text += `${text === "" ? "" : "\n"}${part.text.toWellFormed()}`;
    if (part.type !== "media") continue;
    const media = wellFormed(part.media);
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

function wellFormed(media: MediaRef): MediaRef {
  return media.alt === undefined ? media : { ...media, alt: media.alt.toWellFormed() };
}
