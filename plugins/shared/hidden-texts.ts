/** Shorter ones stand in other texts by chance, and are not looked for. */
const SHORTEST = 5;
/** Texts that begin alike are told apart by so many signs. */
const LONG = 16;
/** So many are looked for, whatever wrote them. */
const MAX_TEXTS = 200_000;
/** Comparisons for one text: far more than happen by chance. */
const MAX_WORK = 10_000_000;
/** Signs that are compared in one step. */
const STEP = 16;

/** Texts that begin with the same few signs. */
interface Alike {
  readonly short: string[];
  readonly long: Map<string, string[]>;
}

/** A text without the hidden ones. */
export interface WithoutHidden {
  readonly text: string;
  /** The names of those that were taken out, each once. */
  readonly names: readonly string[];
}

/**
 * Texts that nobody may see, and where each comes from; looked for all at once, in time that grows
 * with what is looked through.
 */
export class HiddenTexts {
  readonly #names = new Map<string, string>();
  readonly #alike = new Map<number, Alike>();
  #isFull = false;

  /**
   * Takes in a text; of one that is there already, the first name stays. Shorter than 5 signs is
   * passed over.
   */
  add(name: string, text: string): void {
    if (text.length < SHORTEST || this.#names.has(text)) return;
    this.#isFull ||= this.#names.size >= MAX_TEXTS;
    if (this.#isFull) return;
    this.#names.set(text, name);
    const key = keyAt(text, 0);
    let alike = this.#alike.get(key);
    if (!alike) this.#alike.set(key, (alike = { short: [], long: new Map() }));
    if (text.length < LONG) return void alike.short.push(text);
    const head = text.slice(0, LONG);
    const same = alike.long.get(head);
    if (same) same.push(text);
    else alike.long.set(head, [text]);
  }

  /**
   * Returns a text with a mark in place of each of them, or in place of several that overlap.
   * Undefined if there are more than can be searched for, so that nothing of the text may be shown.
   */
  takeOut(text: string, mark: (name: string) => string): WithoutHidden | undefined {
    if (this.#isFull) return undefined;
    const names = new Set<string>();
    let [left, shown, end, work] = ["", 0, 0, 0];
    for (let at = 0; at + SHORTEST <= text.length && this.#alike.size > 0; at += 1) {
      const alike = this.#alike.get(keyAt(text, at));
      if (!alike) continue;
      let found = "";
      for (const one of [...alike.short, ...(alike.long.get(text.slice(at, at + LONG)) ?? [])]) {
        work += 1 + Math.ceil(one.length / STEP);
        if (work > MAX_WORK) return undefined;
        if (one.length > found.length && text.startsWith(one, at)) found = one;
      }
      if (found === "") continue;
      if (at >= end) {
        const name = this.#names.get(found)!;
        left += text.slice(shown, at) + mark(name);
        names.add(name);
      }
      end = Math.max(end, at + found.length);
      shown = end;
    }
    return { text: left + text.slice(shown), names: [...names] };
  }
}

/** Returns a key of the first characters; other texts may have the same. */
function keyAt(text: string, at: number): number {
  let key = 0;
  for (let i = at; i < at + SHORTEST; i += 1) key = (Math.imul(key, 31) + text.charCodeAt(i)) | 0;
  return key;
}
