import { charactersPerToken } from "@gantry/sdk/fill";
import type { ModelAnswer } from "@gantry/sdk";

/**
 * The bounds of the ratio between a provider's count and the guess; beyond them, one of the two is
 * wrong.
 */
const LEAST = 0.8;
const MOST = 2.5;
/** Conversations whose last guess is remembered. */
const REMEMBERED = 1_000;

/** Guesses tokens, and learns from what providers count. */
export class Gauge {
  readonly #factors = new Map<string, number>();
  readonly #guessed = new Map<string, number>();

  tokens(size: number, model: string | undefined): number {
    return Math.ceil((size / charactersPerToken) * (this.#factors.get(model ?? "") ?? 1));
  }

  /** Characters that so many tokens hold. */
  characters(tokens: number, model: string | undefined): number {
    return Math.floor((tokens * charactersPerToken) / (this.#factors.get(model ?? "") ?? 1));
  }

  /** Notes the size of the next request, so that its count can be compared. */
  sends(session: string, size: number): void {
    this.#guessed.delete(session);
    this.#guessed.set(session, size);
    if (this.#guessed.size > REMEMBERED) this.#guessed.delete(this.#guessed.keys().next().value as string);
  }

  /** Returns the size of what went to the model last; undefined if nothing did. */
  sent(session: string): number | undefined {
    return this.#guessed.get(session);
  }

  measure({ session, purpose, model, inputTokens, isEstimated }: ModelAnswer): void {
    const size = this.#guessed.get(session);
    if (purpose !== "turn" || size === undefined || inputTokens === 0 || isEstimated) return;
    this.#learn(model, inputTokens / (size / charactersPerToken));
  }

  /** The model found more than its window in what was taken for less. */
  tooLong(model: string | undefined, size: number, window: number): void {
    const least = (window / (size / charactersPerToken)) * 1.1;
    if (least > (this.#factors.get(model ?? "") ?? 1)) this.#learn(model, least);
  }

  #learn(model: string | undefined, factor: number): void {
    this.#factors.set(model ?? "", Math.min(MOST, Math.max(LEAST, factor)));
  }
}
