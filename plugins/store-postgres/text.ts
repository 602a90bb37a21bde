/**
 * Texts as PostgreSQL keeps them: it refuses U+0000, which becomes two other characters. The order
 * of texts stays. A half of a pair of surrogates becomes U+FFFD.
 */
export function stored(text: string): string {
  return text.toWellFormed().replaceAll("\u0001", "\u0001\u0002").replaceAll("\0", "\u0001\u0001");
}

/** Returns a text as it was given to {@link stored}. */
export function given(text: string): string {
  return text.replaceAll("\u0001\u0001", "\0").replaceAll("\u0001\u0002", "\u0001");
}
