import { Redactors, type Redactor } from "@gantry/sdk/fill";
import type { Awaitable } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { after, asError, isPromise, together, withTimeout } from "@gantry/sdk/node";
import { Registry } from "../plugins/registry.ts";
import { maxWord, ownSecrets, type OwnSecrets } from "./own-secrets.ts";

const defaultTimeoutMs = 10_000;

/** A stream that is redacted; each piece is awaited before the next one is pushed. */
export interface RedactedStream {
  /** Returns what may be shown. */
  push(piece: string): Awaitable<string>;
  /** Returns the rest. */
  end(): Awaitable<string>;
}

/**
 * Every text that leaves goes through here; a redactor that throws, or does not answer in time,
 * stops the text, never the other way round. What redactors answer at once is here at once.
 */
export class Redaction {
  readonly #registry: Registry;
  readonly #own: OwnSecrets | undefined;
  readonly #timeoutMs: number;

  /** `own` comes before every plugin's; `timeoutMs` bounds a redactor that answers later. */
  constructor(registry: Registry, own?: OwnSecrets, timeoutMs: number = defaultTimeoutMs) {
    this.#registry = registry;
    this.#own = own;
    this.#timeoutMs = timeoutMs;
  }

  /** Removes the secrets of the configuration and the environment, too. */
  static ofService(
    registry: Registry,
    parts: Iterable<unknown>,
    env: NodeJS.ProcessEnv,
    timeoutMs?: number,
  ): Redaction {
    return new Redaction(registry, ownSecrets(parts, env), timeoutMs);
  }

  /** For whom everything is readable anyway: only the process's own secrets are removed. */
  forOwner(): Redaction {
    return new Redaction(new Registry(), this.#own);
  }

  /** Rejects with REDACTION_FAILED; never throws, so that what is redacted beside it is awaited. */
  text(text: string): Awaitable<string> {
    let clean: Awaitable<string> = text;
    for (const one of this.#redactors()) clean = after(clean, (now) => this.#apply(one, now));
    return clean;
  }

  /** The same for every string and number inside a value, keys included; the shape stays. */
  value<T>(value: T): Awaitable<T> {
    return mapStrings(value, (text) => this.text(text)) as Awaitable<T>;
  }

  /** Takes only the process's own secrets out of what is kept, as a conversation is. */
  kept<T>(value: T): T {
    const own = this.#own;
    return own ? (mapStrings(value, (text) => own.redact(text)) as T) : value;
  }

  /** Redacts a stream so that nothing is missed across two pieces. */
  stream(): RedactedStream {
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
        return after(this.#apart(held.slice(0, cut), held.slice(cut)), (shown) => {
          if (shown === undefined) tryAt = held.length * 1.25;
          else held = held.slice(cut);
          return shown ?? "";
        });
      },
      end: () => {
        const rest = this.text(held);
        held = "";
        return rest;
      },
    };
  }

  /** Returns the redacted part if both halves apart say the same as the whole; else undefined. */
  #apart(part: string, rest: string): Awaitable<string | undefined> {
    if (part === "") return "";
    const texts = together([this.text(part), this.text(rest), this.text(part + rest)]);
    return after(texts, ([shown = "", left = "", all]) => (shown + left === all ? shown : undefined));
  }

  #apply(redactor: Redactor, text: string): Awaitable<string> {
    const { name } = redactor;
    const failed = (error: unknown): Error => errors.REDACTION_FAILED(name, asError(error));
    try {
      const clean: Awaitable<unknown> = redactor.redact(text);
      if (!isPromise(clean)) return asText(clean);
      const ms = this.#timeoutMs;
      const late = (): Error => new Error(`it did not answer within ${ms} ms`);
      const answer = withTimeout(ms, clean, late).then(asText);
      return answer.catch((error: unknown) => Promise.reject(failed(error)));
    } catch (error) {
      return Promise.reject(failed(error));
    }
  }

  #redactors(): readonly Redactor[] {
    return [...(this.#own ? [this.#own] : []), ...(this.#registry.get(Redactors)?.values() ?? [])];
  }
}

/** Returns the last white space up to `at`, so no word is cut; `at` itself in an overlong word. */
function breakBefore(text: string, at: number): number {
  for (let i = at; i > at - maxWord; i -= 1) {
    if (i <= 0) return 0;
    if (/\s/.test(text[i - 1] as string)) return i;
  }
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at;
}

function asText(clean: unknown): string {
  if (typeof clean !== "string") throw new Error(`it answered ${typeof clean}`);
  return clean;
}

function mapStrings(value: unknown, map: (text: string) => Awaitable<string>): unknown {
  if (typeof value === "string") return map(value);
  if (typeof value === "number")
    return after(map(String(value)), (text) => (text === String(value) ? value : text));
  if (Array.isArray(value)) return together(value.map((item) => mapStrings(item, map)));
  if (value === null || typeof value !== "object") return value;
  const entries: unknown[][] = Object.entries(value);
  for (const entry of entries) {
    entry[0] = map(entry[0] as string);
    entry[1] = mapStrings(entry[1], map);
  }
  const isLater = entries.some((entry) => entry.some(isPromise));
  const ready = isLater ? Promise.all(entries.map((entry) => Promise.all(entry))) : entries;
  return after(ready, (pairs) => Object.fromEntries(pairs as [string, unknown][]));
}
