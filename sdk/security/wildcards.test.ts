import { array, assert, constantFrom, property, string, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { wildcards, type Wildcard } from "./wildcards.ts";

const steps: Readonly<Record<string, Wildcard>> = {
  a: { sign: "a" },
  "/": { sign: "/" },
  "?": { any: "one" },
  "*": { any: "many", but: "/" },
  "**": { any: "many" },
  "**/": { any: "folders" },
};
const expressions: Readonly<Record<string, string>> = {
  "?": "[^]",
  "*": "[^/]*",
  "**": "[^]*",
  "**/": "(?:[^]*/)?",
};

test("SEC-05: wildcards fit what the expression of the same meaning fits", () => {
  assert(
    property(
      array(constantFrom(...Object.keys(steps)), { maxLength: 8 }),
      stringMatching(/^[ab/]{0,10}$/),
      (parts, text) => {
        const expression = new RegExp(`^${parts.map((part) => expressions[part] ?? part).join("")}$`);
        expect(wildcards(parts.map((part) => steps[part]!))(text)).toBe(expression.test(text));
      },
    ),
    { numRuns: 2_000 },
  );
});

test("SEC-05: signs of any language are one sign each", () => {
  assert(
    property(string({ unit: "grapheme-composite", maxLength: 20 }), (text) => {
      const signs = [...text];
      expect(wildcards(signs.map((sign) => ({ sign })))(text)).toBe(true);
      expect(wildcards(signs.map(() => ({ any: "one" })))(text)).toBe(true);
    }),
  );
});

test("SEC-05: a pattern of a hundred stars against a long text is answered", () => {
  const pattern = Array.from({ length: 100 }, (): readonly Wildcard[] => [
    { any: "many" },
    { sign: "a" },
  ]).flat();
  expect(wildcards([...pattern, { sign: "b" }])("a".repeat(4_000))).toBe(false);
  expect(wildcards([...pattern, { sign: "b" }])(`${"a".repeat(4_000)}b`)).toBe(true);
});
