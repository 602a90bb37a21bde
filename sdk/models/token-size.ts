import type { Part } from "../messages/content.ts";
import { textOf } from "../messages/content.ts";
import type { ChatMessage } from "./provider.ts";

/** Characters of a token, for text in Latin letters: the guess if no server counts. */
export const charactersPerToken = 3.5;
/** The size of a picture, counted as text. */
const picture = 1_600 * charactersPerToken;
/** The size of what surrounds a message, a call or a result. */
const around = 24;
/** Signs of scripts of which one is about a token. */
const wide = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g;
/**
 * Returns the characters as the model counts them: a character that is about a token by itself
 * counts as a token.
 */
export function lengthOf(text: string): number {
  return text.length + (text.match(wide)?.length ?? 0) * (charactersPerToken - 1);
}

/** Returns the same of messages, with their calls and media and what surrounds them. */
export function sizeOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + sizeOfOne(message), 0);
}

function sizeOfOne(message: ChatMessage): number {
  const calls = message.role === "assistant" ? message.toolCalls : [];
  const called = calls.reduce((sum, { name, args }) => sum + name.length + lengthOf(args) + around, 0);
  return around + called + message.parts.reduce((sum, part) => sum + sizeOfPart(part), 0);
}

function sizeOfPart(part: Part): number {
  if (part.type === "text") return lengthOf(part.text) + marksOf(part);
  const told = lengthOf(textOf([part]));
  if (part.type !== "media" || !part.media.mime.startsWith("image/")) return told + marksOf(part);
  return picture + (part.from === undefined ? 0 : told + marksOf(part));
}

function marksOf(part: Part): number {
  return "from" in part && part.from !== undefined ? 3 * around : 0;
}
