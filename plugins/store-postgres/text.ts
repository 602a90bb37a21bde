/**
 * Texts as PostgreSQL keeps them: it refuses U+0000, which becomes two other characters. The order
 * of texts stays. A half of a pair of surrogates becomes U+FFFD.
 */
export function stored(text: string): string {
  return text.toWellFormed().replace(/[\0\u0001]/g, (c) => (c === "\0" ? "\u0001\u0001" : "\u0001\u0002"));
}

/** Returns a text as it was given to {@link stored}. */
export function given(text: string): string {
  return text.replace(/\u0001([\u0001\u0002])/g, (_, c: string) => (c === "\u0001" ? "\0" : "\u0001"));
}
