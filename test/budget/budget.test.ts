import { expect, test } from "vitest";
import { judge, readBudget } from "./budget.ts";
import { countAll } from "./subjects.ts";
import type { Counts } from "./counts.ts";

test.skipIf(process.platform !== "linux")(
  "PRF-01: PRF-02: a turn, a start and a message cost no more than their budget",
  async () => {
    const { over, under, leftOut } = judge(await countAll(), readBudget());
    for (const line of under)
      process.stdout.write(`Lower the budget, \`npm run budget -- --write\`: ${line}\n`);
    for (const line of leftOut) process.stdout.write(`Not counted: ${line}\n`);
    // In CI nothing is left out of the verdict.
    expect([...over, ...(process.env["CI"] ? leftOut : [])]).toEqual([]);
  },
);

const once: Counts = {
  modules: { "/a.js": 1_000 },
  builtins: ["fs"],
  statements: { "SELECT 1": 100 },
  allocated: 10_000,
  files: ["HOME/config.toml"],
  calls: { read: 50 },
};

test("PRF-01: a count over its budget by more than 2 % is told with the names behind it", () => {
  const more = {
    ...once,
    modules: { "/a.js": 1_000, "/b.js": 21 },
    statements: { "SELECT 1": 102 },
    calls: { read: 50, openat: 2 },
  };
  const { over, under } = judge({ turn: more }, { turn: once });
  expect(over).toEqual([
    "turn: modules: 2, of 1\n  new   /b.js +1",
    "turn: bytes of code: 1021, of 1000\n  new   /b.js +21",
    "turn: system calls: 52, of 50\n  new   openat +2",
  ]);
  expect(under).toEqual([]);
});

test("PRF-01: a count under its budget asks to lower it, and does not fail", () => {
  const { over, under } = judge({ turn: { ...once, allocated: 9_700 } }, { turn: once });
  expect([over, under]).toEqual([[], ["turn: bytes allocated: 9700, of 10000"]]);
});

test("PRF-01: what cannot be counted without strace is named, not passed over", () => {
  const { files: _, calls: __, ...without } = once;
  const { over, leftOut } = judge({ turn: without }, { turn: once });
  expect(over).toEqual([]);
  expect(leftOut).toEqual(["turn: files opened (no strace here)", "turn: system calls (no strace here)"]);
});
