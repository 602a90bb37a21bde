import * as fc from "fast-check";

/**
 * Texts full of what breaks readers: marks without an end, combining signs, families, bidirectional
 * marks, long runs.
 */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "**",
        "*",
        "_",
        "`",
        "```",
        "~~",
        "[",
        "](",
        ")",
        "<",
        ">",
        "&",
        "#",
        "- ",
        "1. ",
        "|",
        "\\",
      ),
      fc.constantFrom(
        "\n",
        "\n\n",
        " ",
        "    ",
        "```js\n",
        "> ",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "![x](y)",
      ),
      fc.constantFrom("👩‍👩‍👧", "e\u0301", "🇩🇪", "\u202e", "\u0000", "한", "\r\n", "�"),
      fc.constantFrom("word", "https://a.test/x?y=1", "javascript:alert(1)", "@everyone", "<b>", "&amp;"),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(""));

/** Returns the characters that a reader sees, without the white space that a cut may take. */
export function visible(text: string): string {
  return text.replace(/\s+/g, "");
}
