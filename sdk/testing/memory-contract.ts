import assert from "node:assert/strict";
import type { Memory, OwnMemory } from "../store/memory.ts";
import type { ContractCase } from "./contract-case.ts";

const STRANGE = [
  "",
  " ",
  '"',
  "'",
  "*",
  "a*",
  "NEAR(",
  "AND",
  "OR NOT",
  "-x",
  "text:cat",
  "{a b}:c",
  "^",
  "(((",
  "%",
  "\u0000",
  "🙂",
  "日本語",
  "\ud800",
  "x".repeat(5000),
];

/** An empty memory; `reopen` gives what a new process finds. */
export interface OpenedMemory<Kind extends Memory> {
  readonly memory: Kind;
  reopen(): Promise<Kind>;
}

/** The duties of every memory, the store's own as well. */
export const memoryCases: Readonly<Record<string, (opened: OpenedMemory<Memory>) => Promise<void>>> = {
  "AGT-06: what fits a query best comes first": async ({ memory }) => {
    await memory.remember("u", "the weather in Oslo is cold in winter");
    const both = await memory.remember("u", "the red bicycle of Anna stands in the cellar");
    const one = await memory.remember("u", "Anna likes tea");
    const found = await memory.recall("u", "Anna bicycle", 5);
    assert.deepEqual(
      found.slice(0, 2).map(({ id }) => id),
      [both.id, one.id],
    );
    assert.deepEqual(found[0], both);
  },
  "AGT-06: recall ignores case and keeps to the limit": async ({ memory }) => {
    for (const number of [1, 2, 3]) await memory.remember("u", `Bicycle number ${number}`);
    assert.equal((await memory.recall("u", "BICYCLE", 2)).length, 2);
    assert.equal((await memory.recall("u", "bicycle", 0)).length, 0);
  },
  "AGT-06: a query that fits nothing finds nothing": async ({ memory }) => {
    await memory.remember("u", "the red bicycle");
    assert.deepEqual(await memory.recall("u", "submarine", 5), []);
  },
  "AGT-06: an empty query finds everything, the newest first": async ({ memory }) => {
    for (const text of ["one", "two", "three"]) await memory.remember("u", text);
    const found = await memory.recall("u", "", 1_000_000);
    assert.deepEqual(
      found.map(({ text }) => text),
      ["three", "two", "one"],
    );
  },
  "AGT-06: any text is a valid query and a valid memory": async ({ memory }) => {
    for (const text of STRANGE) {
      await memory.remember("u", text);
      assert.ok(Array.isArray(await memory.recall("u", text, 3)));
    }
    assert.equal(await memory.count(), STRANGE.length);
  },
  "AGT-06: users see and forget their own memories only": async ({ memory }) => {
    const mine = await memory.remember("test:1", "my secret bicycle");
    assert.deepEqual(await memory.recall("test:2", "bicycle", 5), []);
    assert.equal(await memory.forget("test:2", mine.id), false);
    assert.equal(await memory.forget("test:1", mine.id), true);
    assert.equal(await memory.forget("test:1", mine.id), false);
    assert.equal(await memory.forget("test:1", "no such id"), false);
    assert.deepEqual(await memory.recall("test:1", "bicycle", 5), []);
  },
  "AGT-06: memories survive a restart": async ({ memory, reopen }) => {
    const entry = await memory.remember("u", "the red bicycle");
    const again = await reopen();
    assert.deepEqual(await again.recall("u", "bicycle", 5), [entry]);
  },
  "SEC-21: what the conversation held is kept with a memory, also over a restart": async ({
    memory,
    reopen,
  }) => {
    const sources = { material: ["news.example"], private: ["memory"] };
    const entry = await memory.remember("u", "the red bicycle", sources);
    assert.deepEqual(entry.sources, sources);
    const plain = await memory.remember("u", "the blue bicycle");
    assert.equal("sources" in plain, false);
    const again = await reopen();
    assert.deepEqual(await again.recall("u", "", 5), [plain, entry]);
  },
  "AGT-06: pruning drops what is too old, then the oldest beyond the bound, and says how many": async ({
    memory,
  }) => {
    for (let number = 1; number <= 5; number++) await memory.remember("u", `bicycle ${number}`);
    assert.equal(await memory.prune(0, 10), 0);
    assert.equal(await memory.prune(0, 3), 2);
    const left = await memory.recall("u", "bicycle", 10);
    assert.deepEqual(left.map(({ text }) => text).toSorted(), ["bicycle 3", "bicycle 4", "bicycle 5"]);
    assert.equal(await memory.prune(Date.now() + 1000, 10), 3);
    assert.equal(await memory.count(), 0);
    assert.deepEqual(await memory.recall("u", "bicycle", 10), []);
  },
  "AGT-06: who stores most makes room, so that nobody drives out what another keeps": async ({ memory }) => {
    await memory.remember("owner", "the oldest of all");
    for (let number = 1; number <= 5; number++) await memory.remember("guest", `bicycle ${number}`);
    await memory.remember("owner", "the newest of all");
    assert.equal(await memory.prune(0, 4), 3);
    assert.equal((await memory.recall("owner", "", 10)).length, 2);
    const left = await memory.recall("guest", "", 10);
    assert.deepEqual(left.map(({ text }) => text).toSorted(), ["bicycle 4", "bicycle 5"]);
  },
};

const ownCases: Readonly<Record<string, (opened: OpenedMemory<OwnMemory>) => Promise<void>>> = {
  "CTX-05: a person is erased with all that was remembered of them, for good; nobody else is": async ({
    memory,
    reopen,
  }) => {
    for (const text of ["the red bicycle", "the blue bicycle"]) await memory.remember("test:1", text);
    const other = await memory.remember("test:2", "the green bicycle");
    assert.equal(await memory.erase("test:1"), 2);
    assert.equal(await memory.erase("test:1"), 0);
    const again = await reopen();
    assert.deepEqual(await again.recall("test:1", "", 9), []);
    assert.deepEqual(await again.recall("test:2", "", 9), [other]);
    assert.equal(await again.count(), 1);
  },
};

export interface MemorySubject {
  /** An empty memory. `reopen` gives what a new process finds after this one ended. */
  open(): Promise<OpenedMemory<OwnMemory> & { close(): Promise<void> }>;
}

/**
 * Returns the duties of every filler of the slot OwnMemory. Register each case with any test
 * runner: `test(name, run)`.
 */
export function memoryContract(subject: MemorySubject): readonly ContractCase[] {
  return Object.entries({ ...memoryCases, ...ownCases }).map(([name, check]) => ({
    name,
    async run() {
      const opened = await subject.open();
      try {
        await check(opened);
      } finally {
        await opened.close();
      }
    },
  }));
}
