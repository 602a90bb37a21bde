import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test.each([
  ["a blank of Braille", "\u2800", "\\u2800"],
  ["a joiner of graphemes", "\u034f", "\\u034f"],
  ["a selector behind a letter", "\ufe0f", "\\ufe0f"],
  ["a rare selector", "\u{e0100}", "\\u{e0100}"],
  ["the place of an object", "\ufffc", "\\ufffc"],
])("SEC-02: %s, which nobody sees, is written out", (_what, sign, written) => {
  expect(printable(`a${sign}b`)).toBe(`a${written}b`);
});

test("SEC-02: the selector of an emoji stays as it is", () => {
  const text = "\u2764\ufe0f and 1\ufe0f\u20e3";
  expect(printable(text)).toBe(text);
});
