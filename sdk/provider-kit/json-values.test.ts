import { expect, test } from "vitest";
import { asCount } from "./json-values.ts";

test.each([1e308, 2 ** 53, -1, Number.NaN, Infinity, "12", null])(
  "PRV-15: a server's figure of tokens that no store can keep (%s) is left out",
  (figure) => {
    expect(asCount(figure)).toBe(undefined);
  },
);

test("PRV-15: a count of tokens is a whole number", () => {
  expect([0, 12, 12.7, 2 ** 53 - 1].map(asCount)).toEqual([0, 12, 12, 2 ** 53 - 1]);
});
