import * as fc from "fast-check";
import { defineErrors, GantryError, isWithoutAnswer, usage, withoutAnswer } from "@gantry/sdk";
import { expect, test } from "vitest";
import { pack, packError } from "./packing.ts";
import { unpack, unpackError } from "./unpacking.ts";
import type { Living, Work } from "./values.ts";

/** Both sides at once: what one gives the other takes. */
function living(): Living {
  const works: Work[] = [];
  const signals: AbortSignal[] = [];
  return {
    give: (work) => works.push(work) - 1,
    giveSignal: (signal) => signals.push(signal) - 1,
    takeWork: (id) => works[id]!,
    takeSignal: (id) => signals[id]!,
  };
}

/** The value as it comes out of JSON on the other side. */
function passed(value: unknown, sides = living()): any {
  const { tree, bytes } = pack(value, sides);
  return unpack({ tree: JSON.parse(JSON.stringify(tree)) as unknown, bytes }, sides);
}

const leaf = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.uint8Array(),
  fc.date({ noInvalidDate: true }),
);
const key = fc.oneof(fc.string(), fc.constantFrom("$", "__proto__", "constructor", "then"));
const value = fc.letrec((tie) => ({
  value: fc.oneof(leaf, fc.array(tie("value")), fc.dictionary(key, tie("value"))),
})).value;

/** Lists in place of objects and bytes, so that members of any name are compared. */
function listed(given: any): unknown {
  if (given instanceof Uint8Array) return [...given];
  if (given instanceof Date || Object(given) !== given) return given;
  if (Array.isArray(given)) return given.map(listed);
  return Object.entries(given).map(([name, member]) => [name, listed(member)]);
}

test("ISO-01: any data crosses to the other process as it is", () => {
  fc.assert(
    fc.property(value, (one) => {
      expect(listed(passed(one))).toEqual(listed(one));
    }),
  );
});

/** Returns the value in a message; undefined if it is refused. */
function outcomeOf(tree: unknown): unknown {
  try {
    return unpack({ tree, bytes: Buffer.alloc(8) }, living());
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}

test("ISO-01: whatever a process sends in place of data is refused, or is data", () => {
  const kinds = fc.constantFrom("bytes", "map", "set", "error", "url", "response", "items", "constructor");
  const marks = fc.tuple(kinds, fc.jsonValue()).map((mark) => ({ $: mark }));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), marks), (tree) => {
      outcomeOf(tree);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
  const value = outcomeOf(JSON.parse('{"__proto__":{"a":1}}'));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("ISO-01: functions, signals, lists that come later and errors keep their meaning", async () => {
  class Counter {
    #count = 0;
    next(): number {
      return ++this.#count;
    }
  }
  const counter = passed(new Counter()) as Counter;
  expect([counter.next(), counter.next()]).toEqual([1, 2]);
  const items: string[] = [];
  const later = passed(
    (async function* () {
      yield "a";
      yield "b";
    })(),
  ) as AsyncIterable<string>;
  for await (const item of later) items.push(item);
  expect(items).toEqual(["a", "b"]);
  const errors = defineErrors({ WRONG: usage("%s is wrong.") });
  const error = unpackError(packError(withoutAnswer(errors.WRONG("It"))));
  expect(error).toBeInstanceOf(GantryError);
  expect(error).toMatchObject({ code: "WRONG", exit: 2, message: "It is wrong." });
  expect(isWithoutAnswer(error)).toBe(true);
  const response = passed(new Response("text", { status: 201, headers: { "x-a": "b" } })) as Response;
  expect([response.status, response.headers.get("x-a"), await response.text()]).toEqual([201, "b", "text"]);
  expect(() => pack(Symbol("none"), living())).toThrow("a symbol cannot leave its process");
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => pack(circle, living())).toThrow("goes in circles");
});
