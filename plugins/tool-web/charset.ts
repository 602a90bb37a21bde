/** Enough to find what a page says of itself. */
const LOOKED_AT = 4_096;

/**
 * Returns the character set of a text: its mark, the header, the page's own word, else UTF-8 if it
 * is valid.
 */
export function charsetOf(contentType: string, data: Uint8Array): string {
  const [first, second, third] = data;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  const head = Buffer.from(data.subarray(0, LOOKED_AT)).toString("latin1");
  const said =
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{1,300}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w.:-]+)/i.exec(head)?.[1];
  return said ?? (isUtf8(data) ? "utf-8" : "windows-1252");
}

function isUtf8(data: Uint8Array): boolean {
  try {
    // A text that was cut may end within a character.
    new TextDecoder("utf-8", { fatal: true }).decode(data, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Text of bytes; a name that nobody knows is taken for UTF-8. */
export function decoded(data: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(data);
  } catch {
    return new TextDecoder().decode(data);
  }
}
