/** Splits a dotted key as TOML does: a part with dots stands in quotes. Undefined if it is none. */
export function pathOf(key: string): readonly string[] | undefined {
  const part = /(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^."']+))(?:\.(?=.)|$)/y;
  const parts: string[] = [];
  while (part.lastIndex < key.length) {
    const found = part.exec(key);
    if (!found) return undefined;
    const [, quoted, literal, bare] = found;
    parts.push(quoted?.replace(/\\(.)/g, "$1") ?? literal ?? bare ?? "");
  }
  return parts.length > 0 && parts.every((name) => name !== "") ? parts : undefined;
}
