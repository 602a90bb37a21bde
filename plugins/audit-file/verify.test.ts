import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { AuditLog } from "./audit-log.ts";
import { event } from "./event.test-kit.ts";
import { verify } from "./verify.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const RECORDS = 12;
let home: string;
let path: string;
let whole: Buffer;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-audit-"));
  path = join(home, "audit.jsonl");
  const log = new AuditLog({ path, retentionDays: 30, warn: () => {} });
  for (let n = 1; n <= RECORDS; n++) await log.write(event({ args: { command: `echo ${n} ü` } }));
  await log.close();
  whole = readFileSync(path);
});
beforeEach(() => writeFileSync(path, whole));
afterAll(() => rm(home, { recursive: true }));

const lines = (): string[] => whole.toString().trimEnd().split("\n");
const problemOf = async (changed: readonly string[]): Promise<{ line: number; what: string } | undefined> => {
  writeFileSync(path, changed.map((line) => `${line}\n`).join(""));
  return (await verify(path)).problem;
};
const index = fc.integer({ min: 0, max: RECORDS - 1 });

test("AUD-02: one changed byte, anywhere, is named by file and line", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: whole.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, by) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at]! + by) % 256;
        writeFileSync(path, changed);
        const line = whole.subarray(0, at).filter((byte) => byte === 10).length + 1;
        expect((await verify(path)).problem).toMatchObject({ file: path, line });
      },
    ),
    { numRuns: 500 },
  );
});

test("AUD-02: a changed record is named, not the one behind it", async () => {
  const changed = lines();
  changed[4] = changed[4]!.replace("echo 5", "echo 6");
  expect(await problemOf(changed)).toMatchObject({ line: 5, what: "record 5 was changed" });
});

test("AUD-02: of several changed records the first is named", async () => {
  const change = (...numbers: number[]): string[] =>
    lines().map((line, at) => (numbers.includes(at + 1) ? line.replace("echo", "ECHO") : line));
  expect(await problemOf(change(3, 7))).toMatchObject({ line: 3, what: "record 3 was changed" });
  expect(await problemOf(change(5, 6, 7))).toMatchObject({
    line: 5,
    what: "record 5 was changed, or record 6 was",
  });
  expect(await problemOf(change(...lines().keys(), RECORDS))).toMatchObject({ line: 1 });
});

test("AUD-02: removed lines are named where they are missing, at the start and at the end too", async () => {
  await fc.assert(
    fc.asyncProperty(index, fc.integer({ min: 1, max: RECORDS }), async (from, count) => {
      const left = lines().toSpliced(from, count);
      const last = Math.min(from + count, RECORDS);
      const which = last === from + 1 ? `record ${last} was` : `records ${from + 1} to ${last} were`;
      expect(await problemOf(left)).toMatchObject({
        line: from + 1,
        what: expect.stringContaining(`${which} removed`),
      });
    }),
  );
});

test("AUD-02: lines in another order, or there twice, are named at the first that stands wrong", async () => {
  await fc.assert(
    fc.asyncProperty(index, index, async (a, b) => {
      fc.pre(a < b);
      const swapped = lines().with(a, lines()[b]!).with(b, lines()[a]!);
      expect(await problemOf(swapped)).toMatchObject({ line: a + 1 });
      expect(await problemOf(lines().toSpliced(b, 0, lines()[a]!))).toMatchObject({ line: b + 1 });
    }),
  );
});

test("AUD-02: a line put in by hand is named, wherever it stands and however well it is made", async () => {
  const forged = JSON.stringify({ ...(JSON.parse(lines()[3]!) as object), result: "refused: X" });
  expect(await problemOf(lines().with(3, forged))).toMatchObject({ line: 4 });
  expect(await problemOf([...lines(), forged])).toMatchObject({ line: RECORDS + 1 });
  expect(await problemOf([...lines(), "not json"])).toMatchObject({ line: RECORDS + 1 });
});

test("AUD-02: of ten thousand records one changed byte is named by its line", async () => {
  const large = join(home, "large.jsonl");
  const log = new AuditLog({ path: large, retentionDays: 30, warn: () => {} });
  await Promise.all(Array.from({ length: 10_000 }, () => log.write(event())));
  await log.close();
  expect(await verify(large)).toMatchObject({ records: 10_000 });
  const changed = readFileSync(large, "utf8").split("\n");
  changed[7776] = changed[7776]!.replace("allowed", "Allowed");
  writeFileSync(large, changed.join("\n"));
  expect((await verify(large)).problem).toEqual({ file: large, line: 7777, what: "record 7777 was changed" });
});

test("AUD-02: a log that is being written is no broken log", async () => {
  appendFileSync(path, '{"timestamp":"2026-01-');
  expect(await verify(path)).toEqual({
    records: RECORDS,
    files: 1,
    first: 1,
    last: RECORDS,
    acknowledged: [],
  });
});

test("AUD-02: without the head that says where the log ends, its chain does not hold, and the next writer says so", async () => {
  const other = join(home, "other.jsonl");
  const warnings: string[] = [];
  const write = async (): Promise<void> => {
    const log = new AuditLog({
      path: other,
      retentionDays: 30,
      warn: (_, message) => void warnings.push(message),
    });
    await log.write(event());
    await log.close();
  };
  await write();
  for (const lose of [
    () => rm(`${other}.chain`, { recursive: true }),
    async () => writeFileSync(join(`${other}.chain`, "head"), "x"),
  ]) {
    await lose();
    expect((await verify(other)).problem).toMatchObject({ file: join(`${other}.chain`, "head"), line: 1 });
    await write();
    expect(warnings.splice(0)).toEqual([
      expect.stringContaining(`The head of the audit log ${other} was gone`),
    ]);
  }
  expect((await verify(other)).problem).toBeUndefined();
});

test("AUD-02: no log yet is an empty one", async () => {
  expect(await verify(join(home, "nowhere", "audit.jsonl"))).toEqual({
    records: 0,
    files: 0,
    first: 0,
    last: 0,
    acknowledged: [],
  });
});
