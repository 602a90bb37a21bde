/**
 * What names its signs comes in UTF-8 already; what names none is UTF-8, or what old programs
 * write.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  try {
    // What was cut may end within a sign.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder(charset === undefined ? "windows-1252" : "utf-8").decode(bytes);
  }
}
