import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStore } from "./store.ts";

let home: string;
let opened: ReturnType<typeof createStore>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-store-"));
  opened = createStore(join(home, "gantry.db"));
});
afterAll(async () => {
  await opened.close();
  await rm(home, { recursive: true });
});

const texts = async (user: string, query: string): Promise<readonly string[]> =>
  (await opened.store.memory.recall(user, query, 3)).map(({ text }) => text);

test("AGT-06: an old entry that holds all the words is found among thousands that hold each of them", async () => {
  const { memory } = opened.store;
  await memory.remember("many", "the spare key of the blue car hangs behind the door");
  await Promise.all(
    Array.from({ length: 1500 }, (_, n) =>
      memory.remember("many", n % 2 ? `the car number ${n}` : `a blue thing, ${n}`),
    ),
  );
  expect((await texts("many", "blue car"))[0]).toBe("the spare key of the blue car hangs behind the door");
  expect((await texts("many", "where is the spare key for my car?"))[0]).toBe(
    "the spare key of the blue car hangs behind the door",
  );
});

test("AGT-06: words are found in other forms, without their accents, and in scripts without spaces", async () => {
  for (const text of ["my dogs are called Rex and Fido", "réunion à Genève", "明日は会議があります"])
    await opened.store.memory.remember("forms", text);
  expect(await texts("forms", "dog")).toEqual(["my dogs are called Rex and Fido"]);
  expect(await texts("forms", "geneve")).toEqual(["réunion à Genève"]);
  expect(await texts("forms", "会議")).toEqual(["明日は会議があります"]);
});

test("AGT-06: of entries that fit equally well the newest comes first, and a query without words gives the newest", async () => {
  for (const number of [1, 2, 3, 4]) await opened.store.memory.remember("ties", `bicycle ${number}`);
  expect(await texts("ties", "bicycle")).toEqual(["bicycle 4", "bicycle 3", "bicycle 2"]);
  expect(await texts("ties", "?!")).toEqual(["bicycle 4", "bicycle 3", "bicycle 2"]);
});

test("AGT-06: whatever holds a letter or a digit is recalled by its own text, and no query is too strange", async () => {
  let user = 0;
  const strange = fc.string({ unit: "binary", maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("a ", "Zz", "7-", "é"), strange, strange, async (start, rest, query) => {
      const name = `any ${++user}`;
      const { id } = await opened.store.memory.remember(name, start + rest);
      expect((await opened.store.memory.recall(name, query, 5)).length).toBeLessThanOrEqual(1);
      expect((await opened.store.memory.recall(name, start + rest, 5))[0]?.id).toBe(id);
    }),
  );
});
