import type { Part } from "../messages/content.ts";
import type { Speaker } from "../messages/speech.ts";
import { readMarkdown } from "./markdown.ts";

/**
 * Returns the words of an answer that are to be spoken beside it; undefined if it is to be read
 * alone: nobody asks for speech, it holds code or what a person decides by, or it is too long.
 */
export async function spokenWords(
  parts: readonly Part[],
  speaker: Speaker | undefined,
): Promise<string | undefined> {
  if (speaker?.replies !== true) return undefined;
  const texts = parts.flatMap((part) => (part.type === "text" ? [part] : []));
  if (texts.some(({ verbatim }) => verbatim)) return undefined;
  const { text, spans } = await readMarkdown(
    texts
      .map((part) => part.text)
      .join("\n")
      .toWellFormed(),
  );
  if (spans.some(({ kind }) => kind === "pre")) return undefined;
  const words = text.trim();
  return words === "" || words.length > speaker.maxLength ? undefined : words;
}
