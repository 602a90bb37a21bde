import { array, assert, property, string, constantFrom } from "fast-check";
import { expect, test } from "vitest";
import { HiddenTexts } from "./hidden-texts.ts";

function hiding(...texts: readonly string[]): HiddenTexts {
  const hidden = new HiddenTexts();
  for (const text of texts) hidden.add(`of ${text.slice(0, 8)}`, text);
  return hidden;
}

const mark = (): string => "#";

test("SEC-15: of texts that overlap, begin alike or hold each other nothing is left", () => {
  const hidden = hiding("abcdefgh", "efghijklmnop", "abcdefghijkl", "cdefg");
  expect(hidden.takeOut("xabcdefghijklmnopx cdefgx abcdefg", mark)).toEqual({
    text: "x#x #x ab#",
    names: ["of abcdefgh", "of cdefg"],
  });
  expect(hidden.takeOut("abcdefghabcdefgh", mark)?.text).toBe("##");
  expect(hidden.takeOut("nothing of it", mark)).toEqual({ text: "nothing of it", names: [] });
});

test("SEC-15: a property: nothing is left of any of them, and all else stays", () => {
  const word = string({ unit: constantFrom("a", "b", "é"), minLength: 5, maxLength: 24 });
  const text = string({ unit: constantFrom("a", "b", "é", "-"), maxLength: 80 });
  assert(
    property(array(word, { maxLength: 8 }), text, (words, around) => {
      const whole = around + words.join(around) + around;
      const covered = Array.from(whole, () => false);
      for (const one of words)
        for (let at = whole.indexOf(one); at !== -1; at = whole.indexOf(one, at + 1))
          covered.fill(true, at, at + one.length);
      const kept = Array.from(whole, (sign, at) => (covered[at] ? "" : sign)).join("");
      expect(
        hiding(...words)
          .takeOut(whole, mark)
          ?.text.replaceAll("#", ""),
      ).toBe(kept);
    }),
  );
});

test("SEC-15: texts that are too many to look for, or made to take long, leave nothing to show", () => {
  const many = new HiddenTexts();
  for (let n = 0; n < 200_001; n += 1) many.add(".env", `KEY_${n}=value-${n}`);
  expect(many.takeOut("harmless", mark)).toBeUndefined();

  const alike = new HiddenTexts();
  for (let n = 0; n < 1_000; n += 1) alike.add(".env", `${"a".repeat(1_000 + n)}b`);
  expect(alike.takeOut("a".repeat(60_000), mark)).toBeUndefined();
  expect(alike.takeOut("harmless", mark)?.text).toBe("harmless");
});
