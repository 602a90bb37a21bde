import { Redactors, type Redactor } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { asError } from "@gantry/sdk/node";
import { Registry } from "../plugins/registry.ts";
import { maxWord, ownSecrets } from "./own-secrets.ts";

/** Every text that leaves goes through here; a redactor that throws stops the text, never the other way round. */
export class Redaction {
  readonly #registry: Registry;
  readonly #own: Redactor | undefined;

  /** `own` comes before every plugin's. */
  constructor(registry: Registry, own?: Redactor) {
    this.#registry = registry;
    this.#own = own;
  }

  /** Removes the secrets of the configuration and the environment, too. */
  static ofService(registry: Registry, parts: Iterable<unknown>, env: NodeJS.ProcessEnv): Redaction {
    return new Redaction(registry, ownSecrets(parts, env));
  }

  /** For whom everything is readable anyway: only the process's own secrets are removed. */
  forOwner(): Redaction {
    return new Redaction(new Registry(), this.#own);
  }

  /** Throws REDACTION_FAILED. */
  text(text: string): string {
    let clean = text;
    for (const redactor of this.#redactors()) clean = apply(redactor, clean);
    return clean;
  }

  /** The same for every string and number inside a value, keys included; the shape stays. */
  value<T>(value: T): T {
    return mapStrings(value, (text) => this.text(text)) as T;
  }

  /** What is kept, as a conversation is, loses only the process's own secrets. */
  kept<T>(value: T): T {
    const own = this.#own;
    return own ? (mapStrings(value, (text) => own.redact(text)) as T) : value;
  }

  /** Redacts a stream so that nothing is missed across two pieces; `push` gives what may be shown, `end` the rest. */
  stream(): { push(piece: string): string; end(): string } {
    const redactors = this.#redactors();
    if (redactors.length === 0) return { push: (piece) => piece, end: () => "" };
    const holdBack = Math.max(...redactors.map((redactor) => redactor.holdBack));
    let held = "";
    let tryAt = 0;
    return {
      push: (piece) => {
        held += piece;
        if (held.length < tryAt) return "";
        const cut = breakBefore(held, held.length - holdBack);
        const shown = this.#apart(held.slice(0, cut), held.slice(cut));
        if (shown === undefined) tryAt = held.length * 1.25;
        else held = held.slice(cut);
        return shown ?? "";
      },
      end: () => {
        const rest = this.text(held);
        held = "";
        return rest;
      },
    };
  }

  /** The part, redacted, where both halves redacted apart say the same as the whole; else undefined. */
  #apart(part: string, rest: string): string | undefined {
    if (part === "") return "";
    const shown = this.text(part);
    return shown + this.text(rest) === this.text(part + rest) ? shown : undefined;
  }

  #redactors(): readonly Redactor[] {
    return [...(this.#own ? [this.#own] : []), ...(this.#registry.get(Redactors)?.values() ?? [])];
  }
}

/** The last white space at or before `at`, so that no word is cut; `at` itself where a word is longer than any. */
function breakBefore(text: string, at: number): number {
  for (let i = at; i > at - maxWord; i -= 1) {
    if (i <= 0) return 0;
    if (/\s/.test(text[i - 1] as string)) return i;
  }
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at;
}

function apply(redactor: Redactor, text: string): string {
  try {
    const clean: unknown = redactor.redact(text);
    if (typeof clean !== "string") throw new Error(`it answered ${typeof clean}`);
    return clean;
  } catch (error) {
    throw errors.REDACTION_FAILED(redactor.name, asError(error));
  }
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value === "number") return map(String(value)) === String(value) ? value : map(String(value));
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapStrings(item, map)]));
}
