import { readMarkdown } from "@gantry/sdk/channel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText } from "../../sdk/channel-kit/rich-text.test-kit.ts";
import { renderMessage } from "./render.ts";
import { shownText, visible } from "./shown-text.test-kit.ts";

const address = "https://a.test/a_b\\c*";
const destination = "](https://a.test/_x*y)";
const marks = [
  "***",
  "**",
  "*",
  "__",
  "_",
  "~~",
  "`",
  "``",
  "```",
  "||",
  "|",
  "[",
  "\\",
  "- ",
  "1. ",
  "> ",
  "# ",
];
/** Little else than marks, so that they touch and cross in every way. */
const dense = fc
  .array(fc.constantFrom(...marks, destination, address, `<${address}>`, "a", "b", " ", "\n", "\n\n"), {
    maxLength: 14,
  })
  .map((pieces) => pieces.join(""));

test("DC-11: whatever a model writes, a reader of the platform's markdown shows its words and no mark of ours", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(dense, hostileText), fc.integer({ min: 1, max: 4 }), async (piece, times) => {
      const rich = await readMarkdown(`a ${piece.repeat(times)} b`);
      expect(visible(shownText(renderMessage(rich)))).toBe(visible(rich.text));
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 300 },
  );
});

test.each([
  ["one form next to another", "*a***b**", "a**b**"],
  ["one form within itself", "**a __b__ c**", "**a b c**"],
  ["a form that ends in a blank", "*a `b`*", "*a* `b`"],
  ["the sign of a form in its words", "~~a\\~~~", "a\\~"],
  ["an address with a sign of the form around it", "**see https://a.test/x*y**", "see <https://a.test/x*y>"],
  ["words of a link that are another address", "[https://a.test](https://b.test)", "<https://a.test>"],
  ["a quote in an item", "1. > a", "1\\. a"],
])("DC-11: %s keeps its words and loses what would be misread", async (_, source, shown) => {
  expect(renderMessage(await readMarkdown(source))).toBe(shown);
});

test("DC-11: forms that can be told apart all stay", async () => {
  const source = "***a*** **b *c* d** ~~e~~ [**f**](<https://a.test/my_page>) `g`";
  expect(renderMessage(await readMarkdown(source))).toBe(source);
  expect(renderMessage({ text: "*a*", spans: [] })).toBe("\\*a\\*");
  const code = { kind: "code", from: 0, to: 1 } as const;
  expect(renderMessage({ text: "ab", spans: [code, { ...code, from: 1, to: 2 }] })).toBe("`ab`");
});
