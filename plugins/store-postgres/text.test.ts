import * as fc from "fast-check";
import { expect, test } from "vitest";
import { given, stored } from "./text.ts";

const odd = fc.string({ unit: fc.constantFrom("\0", "\u0001", "\u0002", "a", "\u{1f642}") });

test("ST-09: any text comes back from the form that PostgreSQL takes, which holds no U+0000", () => {
  fc.assert(
    fc.property(fc.oneof(odd, fc.string({ unit: "binary" })), (text) => {
      expect(stored(text)).not.toContain("\0");
      expect(given(stored(text))).toBe(text.toWellFormed());
    }),
  );
});

const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

test("ST-09: the stored forms of texts stand in the order of the texts", () => {
  fc.assert(
    fc.property(odd, odd, (a, b) => {
      expect(Math.sign(order(stored(a), stored(b)))).toBe(Math.sign(order(a, b)));
    }),
  );
});
