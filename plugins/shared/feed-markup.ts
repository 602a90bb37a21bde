/** So much at once; then the caller may do other things. */
const SLICE = 8 * 1024;
/** Browsers stop at 512. */
const MAX_OPEN = 1_000;

/**
 * A parser that is fed piece by piece, as that of htmlparser2; `reset` makes it forget the elements
 * that stand open.
 */
export interface MarkupParser {
  write(text: string): void;
  reset(): void;
  end(): void;
}

/**
 * Feeds markup to a parser, a slice with each step. Parsers look through all elements that stand
 * open at each end tag: more than any page needs are forgotten as if they never ended, so that
 * hostile markup takes time in proportion to its length. `open` counts those that the parser has
 * opened and not closed since it began or was last reset.
 */
export function* feedMarkup(html: string, parser: MarkupParser, open: () => number): Generator<void> {
  for (let at = 0; at < html.length;) {
    const piece = html.slice(at, at + SLICE);
    // Not within a tag, whose rest a parser that was reset would take for words.
    const end = piece.lastIndexOf(">") + 1 || piece.length;
    parser.write(piece.slice(0, end));
    at += end;
    if (open() > MAX_OPEN) parser.reset();
    yield;
  }
  parser.end();
}
