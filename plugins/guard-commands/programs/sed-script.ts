const END = /[ \t]*(?:[;\n]|(?=[}#])|$)/y;
const LINE = /[^\n]*/y;
// A text goes on behind a backslash at the end of its line.
const TEXT = /(?:\\[^]|[^\n\\])*\\?/y;
const ADDRESS = /[ \t]*(?:\d+(?:~\d+)?|\$|[+~]\d+)/y;
const LABEL = /[^\s;}]*/y;
// Up to its closing sign, which must not stand behind a backslash.
const BRACKET = /\[\^?\]?(?:\[[:.=][a-z]*[:.=]\]|\\[^\]]|[^\]\\])*/y;
const FLAGS = /[gpiImM\d]*/y;

/**
 * The files that a script of GNU sed reads and writes by name; undefined where it starts programs (the command `e`, the
 * flag `e`), or cannot be read with certainty.
 */
export function filesOf(script: string): readonly string[] | undefined {
  const files: string[] = [];
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    at += found?.[0].length ?? 0;
    return found !== null;
  };
  const file = (): boolean => {
    const from = at;
    skip(LINE);
    files.push(script.slice(from, at).trim());
    return true;
  };
  /** Up to the next bare delimiter; false where there is none, or it cannot be told where a bracket ends. */
  const part = (delimiter: string, regex: boolean): boolean => {
    for (; at < script.length && script[at] !== delimiter; at++) {
      if (regex && script[at] === "[") {
        skip(BRACKET);
        if (script[at] !== "]") return false;
      } else if (script[at] === "\\") at++;
    }
    return at++ < script.length;
  };
  const address = (): boolean => {
    if (skip(ADDRESS)) return true;
    skip(/[ \t]*/y);
    const delimiter = script[at] === "\\" ? script[at + 1] : script[at] === "/" ? "/" : undefined;
    if (delimiter === undefined) return true;
    at += script[at] === "\\" ? 2 : 1;
    return part(delimiter, true) && skip(/[IM]*/y);
  };
  const command = (): boolean => {
    const name = script[at++] ?? "";
    if ("{}".includes(name)) return true;
    if (name === "#") return skip(LINE);
    if ("aic".includes(name)) return skip(TEXT);
    if ("rRwW".includes(name)) return file();
    if (":btT".includes(name)) return skip(/[ \t]*/y) && skip(LABEL) && skip(END);
    if ("lLqQ".includes(name)) return skip(/[ \t]*\d*/y) && skip(END);
    if ("=dDgGhHnNpPxzF".includes(name)) return skip(END);
    const delimiter = script[at++] ?? "\n";
    if (
      !"sy".includes(name) ||
      /[\n\\]/.test(delimiter) ||
      !part(delimiter, name === "s") ||
      !part(delimiter, false)
    )
      return false;
    if (name !== "s" || !skip(FLAGS) || script[at] !== "w") return skip(END);
    at++;
    return file();
  };
  while (skip(/[\s;]*/y) && at < script.length) {
    if (!address() || (skip(/[ \t]*,/y) && !address())) return undefined;
    skip(/[ \t!]*/y);
    if (!command()) return undefined;
  }
  return files;
}
