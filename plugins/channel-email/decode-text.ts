/**
 * Decodes a text. One that names its charset comes in UTF-8 already; one that names none is in
 * UTF-8, or in the charset of old programs.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined): string {
  try {
    // A text that was cut may end within a character.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder(charset === undefined ? "windows-1252" : "utf-8").decode(bytes);
  }
}
