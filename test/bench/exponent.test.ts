import { assert, double, property } from "fast-check";
import { expect, test } from "vitest";
import { exponent } from "./exponent.ts";
import { growthParts } from "./growth.ts";

const range = (min: number, max: number) => double({ min, max, noNaN: true });

test("PRF-03: the exponent of any power law is found, whatever its factor", () => {
  assert(
    property(range(-1, 3), range(0.001, 1_000), (power, factor) => {
      const samples = [1, 10, 100].map((size) => ({ size, took: factor * size ** power }));
      expect(exponent(samples)).toBeCloseTo(power, 6);
    }),
  );
});

test("PRF-03: samples of one size have no exponent", () => {
  expect(() => exponent([{ size: 10, took: 1 }])).toThrow("two sizes");
});

test("PRF-03: each part is measured at 1x, 10x and 100x of one size", () => {
  for (const { sizes } of growthParts) {
    const [one = 0] = sizes;
    expect(sizes).toEqual([one, one * 10, one * 100]);
  }
});
