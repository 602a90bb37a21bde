import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plainText, readMarkdown, renderMarkdown, splitRichText, splitText, type RichText } from "./index.ts";
import { hostileText, visible } from "./rich-text.test-kit.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const signs = (text: string): string[] =>
  [...segmenter.segment(text)].map(({ segment }) => segment).filter((sign) => sign.trim() !== "");

const size = (piece: RichText): number => renderMarkdown(piece).length;
const words = (count: number): string => "word ".repeat(count / 5);

test("CC-12: whatever the text, its messages keep to the bound and hold every sign in order, none cut", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, fc.integer({ min: 16, max: 80 }), async (source, max) => {
      const rich = await readMarkdown(source);
      const pieces = splitRichText(rich, { max });
      expect(pieces.every(({ text }) => text.length <= max && text.trim() !== "")).toBe(true);
      expect(visible(pieces.map(({ text }) => text).join(""))).toBe(visible(rich.text));
      const isCut = signs(rich.text).some((sign) => sign.length >= 16);
      expect(isCut ? [] : pieces.flatMap(({ text }) => signs(text))).toEqual(isCut ? [] : signs(rich.text));
    }),
    { numRuns: 500 },
  );
});

test("CC-12: the bound holds for the form that is sent, which is longer than the text", async () => {
  const max = 120;
  const sizes = async (source: string): Promise<readonly number[]> =>
    splitRichText(await readMarkdown(source), { max, size }).map(size);
  expect(await sizes(`[l](https://a.test/${"x".repeat(200)}) **b**`)).toEqual([7]);
  await fc.assert(
    fc.asyncProperty(hostileText, async (source) => {
      expect((await sizes(source)).every((length) => length <= max)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("CC-12: a code block that fits into a message is never cut, wherever it stands", async () => {
  const code = Array.from({ length: 6 }, (_, i) => `line ${i};`).join("\n");
  const block = fc.record({
    before: fc.integer({ min: 0, max: 300 }),
    after: fc.integer({ min: 0, max: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(block, async ({ before, after }) => {
      const rich = await readMarkdown(`${words(before)}\n\n\`\`\`\n${code}\n\`\`\`\n\n${words(after)}`);
      const holding = splitRichText(rich, { max: 100 }).filter(({ spans }) =>
        spans.some(({ kind }) => kind === "pre"),
      );
      expect(holding).toHaveLength(1);
      expect(holding[0]?.text).toContain(code);
    }),
  );
});

test("CC-12: a code block that is too long is cut between its lines, and every part is code of its language", async () => {
  const lines = Array.from({ length: 50 }, (_, i) => `  const value${i} = ${i};`);
  const rich = await readMarkdown(`Look:\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n\nDone.`);
  const parts = splitRichText(rich, { max: 200 });
  const code = parts.flatMap(({ text, spans }) =>
    spans
      .filter(({ kind, language }) => kind === "pre" && language === "ts")
      .map(({ from, to }) => text.slice(from, to)),
  );
  expect(code.length).toBeGreaterThan(5);
  expect(code.flatMap((part) => part.split("\n"))).toEqual(lines);
});

test("CC-12: a text is cut at a paragraph before a line, at a line before a word, and one long word anywhere", () => {
  expect(splitText(`${"a".repeat(12)}\n\nbb\ncc dd`, 20)).toEqual(["a".repeat(12), "bb\ncc dd"]);
  expect(splitText(`${"a".repeat(12)}\nbb cc dd ee`, 20)).toEqual(["a".repeat(12), "bb cc dd ee"]);
  expect(splitText(`${"a".repeat(12)} bb cc dd ee`, 20)).toEqual([`${"a".repeat(12)} bb cc`, "dd ee"]);
  expect(splitText("x".repeat(45), 20).map(({ length }) => length)).toEqual([20, 20, 5]);
  expect([splitText("", 20), splitText(" \n ", 20)]).toEqual([[""], [""]]);
});

test("CC-12: a sign that is longer than a message is cut, and never within a character", () => {
  const zalgo = `e${"\u0301".repeat(100)}😀${"\u{1f3fb}".repeat(60)}`;
  const parts = splitText(zalgo, 20);
  expect(parts.join("")).toBe(zalgo);
  expect(parts.every((part) => part.length <= 20 && part.isWellFormed())).toBe(true);
});

test("CC-12: a form goes on in the next message", () => {
  const rich: RichText = { ...plainText("one two three four"), spans: [{ kind: "bold", from: 4, to: 18 }] };
  expect(
    splitRichText(rich, { max: 10 }).map(({ text, spans: [span] }) => text.slice(span?.from, span?.to)),
  ).toEqual(["two", "three four"]);
});
