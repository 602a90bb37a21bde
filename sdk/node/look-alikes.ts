/** Scripts with letters that look like Latin ones. */
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;
/** Letters of other scripts that most people read as Latin ones. */
const CONFUSABLE = new Set("авеіјԛоорсѕухуԁһӏԝьѵԍгпАВЕІЈКМНОРСТХУԌЅҮԜЗбαονρικυχγωητΑΒΕΖΗΙΚΜΝΟΡΤΥΧօոսցհԱՕՍЅ");
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** Not ASCII, and drawn like a character that a shell or a path knows. */
const CONFUSABLE_SIGN = /[\p{Zs}\p{Pd}\u2212\u2024\u2044\u2215\u29f5\u2018\u2019\u201c\u201d\uff00-\uff5e]/u;

/** A text in which every letter that passes for another is written out, and those words. */
export interface Marked {
  readonly text: string;
  readonly words: readonly string[];
}

/**
 * Writes out letters that pass for others: in words that mix scripts, and, in text that a shell
 * runs, in words made of nothing but such letters, and characters that look like a blank, a dash, a
 * dot, a slash or a quote.
 */
export function markLookAlikes(text: string, isCommand: boolean): Marked {
  const words = new Set<string>();
  const marked = text.replace(WORD, (word) => {
    const suspect = isMixed(word) || (isCommand && isDisguised(word));
    if (!suspect) return word;
    const shown = [...word].map((letter) => (isStrange(letter) ? written(letter) : letter)).join("");
    words.add(shown);
    return shown;
  });
  if (!isCommand) return { text: marked, words: [...words] };
  const plain = [...marked].map((sign) => (isStrangeSign(sign) ? written(sign) : sign)).join("");
  if (plain !== marked) words.add("a sign that looks like another");
  return { text: plain, words: [...words] };
}

/**
 * Latin letters or digits beside letters of a script that looks alike, or letters that are only
 * another form of Latin ones.
 */
function isMixed(word: string): boolean {
  if ([...word].some(isCompatibilityForm)) return true;
  return /\p{Script=Latin}/u.test(word) && OTHER_SCRIPT.test(word);
}

function isDisguised(word: string): boolean {
  const letters = [...word].filter((sign) => /\p{L}/u.test(sign));
  return letters.length > 0 && letters.every((letter) => CONFUSABLE.has(letter));
}

function isStrange(letter: string): boolean {
  return OTHER_SCRIPT.test(letter) || isCompatibilityForm(letter);
}

/**
 * Full-width and mathematical letters and ligatures, which some readers turn into plain ones; not
 * `º`.
 */
function isCompatibilityForm(letter: string): boolean {
  return letter > "\u2100" && /\p{L}|\p{Nd}/u.test(letter) && /^[\x21-\x7e]+$/.test(letter.normalize("NFKC"));
}

function isStrangeSign(sign: string): boolean {
  return sign > "\u007f" && CONFUSABLE_SIGN.test(sign);
}

function written(sign: string): string {
  const hex = (sign.codePointAt(0) as number).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}
