import { textOf, type ChatMessage, type ModelAnswer, type Part } from "@gantry/sdk";

/** Characters of a token, for text in Latin letters. */
export const CHARACTERS = 3.5;
/** What a picture takes, counted as text. */
const PICTURE = 1_600 * CHARACTERS;
/** What surrounds a message, a call or a result. */
const AROUND = 24;
/** Signs of scripts of which one is about a token. */
const wide = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g;
/** How far what a provider counts may be from what was guessed; beyond, one of the two is wrong. */
const LEAST = 0.8;
const MOST = 2.5;
/** Conversations whose last guess is remembered. */
const REMEMBERED = 1_000;

/** Characters, as the model counts them. */
export function lengthOf(text: string): number {
  return text.length + (text.match(wide)?.length ?? 0) * (CHARACTERS - 1);
}

export function sizeOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + sizeOfOne(message), 0);
}

function sizeOfOne(message: ChatMessage): number {
  const calls = message.role === "assistant" ? message.toolCalls : [];
  const called = calls.reduce((sum, { name, args }) => sum + name.length + lengthOf(args) + AROUND, 0);
  return AROUND + called + message.parts.reduce((sum, part) => sum + sizeOfPart(part), 0);
}

function sizeOfPart(part: Part): number {
  if (part.type === "text") return lengthOf(part.text) + (part.from === undefined ? 0 : 3 * AROUND);
  return part.type === "media" && part.media.mime.startsWith("image/") ? PICTURE : lengthOf(textOf([part]));
}

/** Guesses tokens, and learns from what providers count. */
export class Gauge {
  readonly #factors = new Map<string, number>();
  readonly #guessed = new Map<string, number>();

  tokens(size: number, model: string | undefined): number {
    return Math.ceil((size / CHARACTERS) * (this.#factors.get(model ?? "") ?? 1));
  }

  /** Characters that so many tokens hold. */
  characters(tokens: number, model: string | undefined): number {
    return Math.floor((tokens * CHARACTERS) / (this.#factors.get(model ?? "") ?? 1));
  }

  /** What goes to the model next, so that its count can be compared. */
  sends(session: string, size: number): void {
    this.#guessed.delete(session);
    this.#guessed.set(session, size);
    if (this.#guessed.size > REMEMBERED) this.#guessed.delete(this.#guessed.keys().next().value as string);
  }

  measure({ session, purpose, model, inputTokens }: ModelAnswer): void {
    const size = this.#guessed.get(session);
    if (purpose !== "turn" || size === undefined || inputTokens === 0) return;
    this.#learn(model, inputTokens / (size / CHARACTERS));
  }

  /** The model found more than its window in what was taken for less. */
  tooLong(model: string | undefined, size: number, window: number): void {
    const least = (window / (size / CHARACTERS)) * 1.1;
    if (least > (this.#factors.get(model ?? "") ?? 1)) this.#learn(model, least);
  }

  #learn(model: string | undefined, factor: number): void {
    this.#factors.set(model ?? "", Math.min(MOST, Math.max(LEAST, factor)));
  }
}
