import * as fc from "fast-check";
import { expect, test } from "vitest";
import { chunk, collect, DONE, provider, request, serve, stream, textOf, usage } from "./chat.test-kit.ts";
import { Thoughts } from "./thoughts.ts";

function read(pieces: readonly string[]): string {
  const thoughts = new Thoughts();
  return pieces.map((piece) => thoughts.take(piece)).join("") + thoughts.end();
}

test.each([
  ["<think>Let me see.</think>\n\nIt is 4.", "It is 4."],
  ["\n<think>\n</think>\n\nIt is 4.", "It is 4."],
  ["<thinking>a </think> b</thinking>yes", "yes"],
  ["<think>never ends", ""],
  ["It is <think>4</think>.", "It is <think>4</think>."],
  ["<thin ice", "<thin ice"],
  ["<p>4</p>", "<p>4</p>"],
  ["  4", "  4"],
  ["<", "<"],
  ["", ""],
])("PRV-16: of %j the answer is %j, whatever the pieces", (whole, answer) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 })), (sizes) => {
      const pieces: string[] = [];
      let at = 0;
      for (const size of sizes) pieces.push(whole.slice(at, (at += size)));
      expect(read([...pieces, whole.slice(at)])).toBe(answer);
    }),
    { numRuns: 60 },
  );
});

test("PRV-16: text without a thought at its beginning is untouched, and a thought before any text takes nothing of it but the empty lines between", () => {
  const text = fc.string({ unit: "grapheme" }).filter((value) => !/^\s*</.test(value));
  fc.assert(fc.property(text, (value) => void expect(read([...value])).toBe(value)));
  const thought = fc.string().filter((value) => !value.includes("</think>"));
  fc.assert(
    fc.property(
      thought,
      text,
      (thinks, value) => void expect(read([`<think>${thinks}</think>`, ...value])).toBe(value.trimStart()),
    ),
  );
});

test("PRV-16: what a local model thinks aloud is no part of its answer, and a sign of life all the same", async () => {
  const pieces = ["<thi", "nk>The user", " says hello.</th", "ink>", "\n\nHello", " there."];
  await using server = await serve((_, response) =>
    stream(response, [...pieces.map((content) => chunk({ content })), chunk({}, "stop"), usage, DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  expect(textOf(await collect(p, request("hello")))).toBe("Hello there.");
  let signs = 0;
  for await (const event of p.chat(request("hello")))
    if (event.type === "text" && event.text === "") signs += 1;
  expect(signs).toBeGreaterThan(2);
});
