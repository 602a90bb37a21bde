import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  readMarkdown,
  renderBlocks,
  renderEntities,
  renderHtml,
  renderMarkdown,
  renderMrkdwn,
  renderPlain,
} from "./index.ts";
import { renderMarks, type Marks } from "./render.ts";
import { hostileText, visible } from "./rich-text.test-kit.ts";
import type { Span } from "./rich-text.ts";

/** Tags that are not closed in the order in which they were opened. */
function unclosed(html: string): readonly string[] {
  const open: string[] = [];
  for (const [, slash, tag = ""] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === "/" && open.at(-1) === tag) open.pop();
    else open.push(`${slash}${tag}`);
  }
  return open;
}

const sample = [
  "# Title",
  "",
  "Some **bold and *both* words**, ~~gone~~, `code` and [a link](https://a.test/?x=1&y=2).",
  "",
  "- one",
  "- two",
  "  1. inner",
  "",
  "> said so",
  "> twice",
  "",
  "```ts",
  "const a = 1 < 2;",
  "```",
].join("\n");

test("CC-12: markdown becomes the text that people read and the places of its forms", async () => {
  const { text, spans } = await readMarkdown(sample);
  expect(text).toBe(
    [
      "Title",
      "",
      "Some bold and both words, gone, code and a link.",
      "",
      "• one",
      "• two",
      "  1. inner",
      "",
      "said so",
      "twice",
      "",
      "const a = 1 < 2;",
    ].join("\n"),
  );
  expect(spans.map(({ kind, from, to, ...rest }) => [kind, text.slice(from, to), rest])).toEqual([
    ["bold", "Title", {}],
    ["bold", "bold and both words", {}],
    ["italic", "both", {}],
    ["strike", "gone", {}],
    ["code", "code", {}],
    ["link", "a link", { url: "https://a.test/?x=1&y=2" }],
    ["quote", "said so\ntwice", {}],
    ["pre", "const a = 1 < 2;", { language: "ts" }],
  ]);
});

test("CC-12: each platform's form of the same text", async () => {
  const rich = await readMarkdown(
    "**a*b* <c>** `x<y` [l](https://a.test/?q=1&r=2)\n\n> q1\n> q2\n\n```js\n1 < 2\n```",
  );
  expect(renderPlain(rich)).toBe("ab <c> x<y l (https://a.test/?q=1&r=2)\n\n> q1\n> q2\n\n1 < 2");
  expect(renderHtml(rich)).toBe(
    '<b>a<i>b</i> &lt;c&gt;</b> <code>x&lt;y</code> <a href="https://a.test/?q=1&amp;r=2">l</a>\n\n<blockquote>q1\nq2</blockquote>\n\n<pre><code class="language-js">1 &lt; 2</code></pre>',
  );
  expect(renderMarkdown(rich)).toBe(
    "**a*b* \\<c\\>** `x<y` [l](<https://a.test/?q=1&r=2>)\n\n> q1\n> q2\n\n```js\n1 < 2\n```",
  );
  expect(renderMrkdwn(rich)).toBe(
    "*a_b_ &lt;c&gt;* `x&lt;y` <https://a.test/?q=1&amp;r=2|l>\n\n> q1\n> q2\n\n```\n1 &lt; 2\n```",
  );
  expect(renderEntities(rich, 100).map(({ type, offset, length }) => [type, offset, length])).toEqual([
    ["bold", 0, 6],
    ["italic", 1, 1],
    ["code", 7, 3],
    ["text_link", 11, 1],
    ["blockquote", 14, 5],
    ["pre", 21, 5],
  ]);
});

const shown = async (source: string): Promise<string> => renderMarkdown(await readMarkdown(source));

test("CC-12: an address keeps its signs in markdown: a backslash in it would lead elsewhere", async () => {
  expect(await shown("a_b https://a.test/x_y_(z) c_d")).toBe("a\\_b <https://a.test/x_y_(z)> c\\_d");
  expect(await shown("<https://a.test/x_y>")).toBe("<https://a.test/x_y>");
});

test("CC-12: a table becomes lines of one width, and a picture its name with the address", async () => {
  const rich = await readMarkdown("| a | long |\n|---|---|\n| `1` | 2 |\n\n![cat](https://a.test/cat.png)");
  expect(rich.text).toBe("a | long\n--+-----\n1 | 2\n\ncat");
  expect(rich.spans.map(({ kind }) => kind)).toEqual(["pre", "link"]);
});

test("CC-12: links that lead a browser to do something are only words", async () => {
  const { text, spans } = await readMarkdown(
    "[a](javascript:alert(1)) [b](data:text/html,x) [c](file:///etc/passwd) [d](relative) [e](mailto:a@b.test)",
  );
  expect(spans.map(({ url }) => url)).toEqual(["mailto:a@b.test"]);
  expect(text).toContain("a](javascript:alert(1)");
});

test("CC-12: code stands apart: no form within it, and a link keeps its address before it keeps its code", async () => {
  const rich = await readMarkdown("**bold `x` bold** [`y`](https://a.test)");
  const entities = renderEntities(rich, 100).map(({ type, offset, length }) => [
    type,
    rich.text.slice(offset, offset + length),
  ]);
  expect(entities).toEqual([
    ["bold", "bold "],
    ["code", "x"],
    ["bold", " bold"],
    ["text_link", "y"],
  ]);
});

test("CC-12: of more forms than a platform takes, links and code are kept", async () => {
  const rich = await readMarkdown(`${"**b** ".repeat(150)} [l](https://a.test)`);
  const kept = renderEntities(rich, 100);
  expect(kept).toHaveLength(100);
  expect(kept.at(-1)?.type).toBe("text_link");
});

test("CC-12: hostile markdown of any kind is read quickly, and what is too long stays as it is", async () => {
  for (const text of [
    "*".repeat(20_000),
    "[".repeat(20_000),
    ">".repeat(3_000),
    "`".repeat(60_000),
    "|-".repeat(20_000),
  ])
    expect(visible((await readMarkdown(text)).text).length).toBeGreaterThan(0);
  const long = "**x** ".repeat(20_000);
  expect(await readMarkdown(long)).toEqual({ text: long, spans: [] });
});

test("CC-12: a text of more forms than a person reads is sent as it is, and no text of 64 kB takes the square of its length to write", async () => {
  let looks = 0;
  const counted = ({ from, to, ...span }: Span): Span => ({
    ...span,
    get from() {
      looks += 1;
      return from;
    },
    get to() {
      looks += 1;
      return to;
    },
  });
  const pieces = [
    "**a** ",
    "a\n=\n",
    "# a\n",
    "`a` ",
    "_a_ ",
    "[a](http://x) ",
    "> a\n\n",
    "```\na\n```\n",
    "http://x ",
  ];
  for (const piece of pieces)
    for (const times of [900, Math.floor(65_000 / piece.length)]) {
      const source = piece.repeat(times);
      const { text: said, spans } = await readMarkdown(source);
      expect([piece, spans.length]).toEqual([piece, piece === "http://x " || times > 1_000 ? 0 : times]);
      looks = 0;
      for (const render of [renderHtml, renderMrkdwn, renderPlain, renderMarkdown, renderBlocks])
        render({ text: said, spans: spans.map(counted) });
      expect(looks).toBeLessThan(5_000_000);
    }
  const marks: Marks = { text: (piece) => piece, open: () => "<", close: () => ">" };
  const spans = Array.from({ length: 20_000 }, (_, i) =>
    counted({ kind: "bold", from: 2 * i, to: 2 * i + 1 }),
  );
  looks = 0;
  expect(renderMarks({ text: "a ".repeat(20_000), spans }, marks)).toBe("<a> ".repeat(20_000));
  expect(looks).toBeLessThan(100 * spans.length);
});

test("CC-12: whatever the text, spans lie within it, marks nest, and no escaped sign comes through", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (source) => {
      const rich = await readMarkdown(source);
      for (const { from, to } of rich.spans) {
        expect(from).toBeLessThan(to);
        expect(to).toBeLessThanOrEqual(rich.text.length);
      }
      const html = renderHtml(rich);
      expect(unclosed(html)).toEqual([]);
      const words = html
        .replace(/<[^>]*>/g, "")
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">");
      expect(words.replace(/&quot;/g, '"').replace(/&amp;/g, "&")).toBe(rich.text);
      for (const { offset, length } of renderEntities(rich, 100))
        expect(offset + length).toBeLessThanOrEqual(rich.text.length);
      renderPlain(rich);
      renderMarkdown(rich);
      renderMrkdwn(rich);
    }),
    { numRuns: 300 },
  );
});

function text(said: string, ...styles: readonly string[]) {
  const style = Object.fromEntries(styles.map((name) => [name, true]));
  return { type: "text", text: said, ...(styles.length > 0 && { style }) };
}

test("CC-12: forms go as data: containers, styles and links, also of addresses that stand bare in the words", async () => {
  const rich = await readMarkdown(
    "**a*b*c** `x` [l](https://a.test) see https://b.test/x?y=1. <!channel>\n\n> q *r*\n\n```js\n1 < 2\n```",
  );
  expect(renderBlocks(rich)?.elements).toEqual([
    {
      type: "rich_text_section",
      elements: [
        text("a", "bold"),
        text("b", "bold", "italic"),
        text("c", "bold"),
        text(" "),
        text("x", "code"),
        text(" "),
        { type: "link", url: "https://a.test", text: "l" },
        text(" see "),
        { type: "link", url: "https://b.test/x?y=1", text: "https://b.test/x?y=1" },
        text(". <!channel>"),
      ],
    },
    { type: "rich_text_quote", elements: [text("q "), text("r", "italic")] },
    { type: "rich_text_preformatted", elements: [text("1 < 2")] },
  ]);
  expect(renderBlocks({ text: " \n", spans: [] })).toEqual({
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [text(" ")] }],
  });
  expect(renderBlocks({ text: "\n", spans: [] })).toBeUndefined();
});

test("CC-12: as data nothing that can be seen is lost, whatever the text", async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (source) => {
      const rich = await readMarkdown(source);
      const { elements = [] } = renderBlocks(rich) ?? {};
      const inlines = elements.flatMap((container) => container.elements);
      expect(visible(inlines.map(({ text }) => text).join(""))).toBe(visible(rich.text.toWellFormed()));
      expect(inlines.every(({ text }) => text !== "")).toBe(true);
    }),
  );
});
