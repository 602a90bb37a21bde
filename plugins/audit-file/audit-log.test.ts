import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  appendFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AuditLog, type AuditLogOptions } from "./audit-log.ts";
import { event } from "./event.test-kit.ts";
import { segmentsOf } from "./segments.ts";
import { Token } from "./token.ts";
import { verify } from "./verify.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let home: string;
let path: string;
let warnings: string[];
const open: AuditLog[] = [];

function start(over: Partial<AuditLogOptions> = {}): AuditLog {
  const log = new AuditLog({
    path,
    retentionDays: 30,
    warn: (_, message) => void warnings.push(message),
    ...over,
  });
  open.push(log);
  return log;
}
const onDay = (day: number): void => void vi.setSystemTime(Date.UTC(2026, 0, day, 12));
const lines = (): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-audit-"));
  path = join(home, "logs", "audit.jsonl");
  warnings = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const log of open.splice(0)) await log.close();
  await rm(home, { recursive: true });
});

describe("records", () => {
  test("AUD-01: a record is one line of JSON: the seven fields in their order, then seq and prev, in a private file", async () => {
    const log = start();
    const odd = event({ args: { command: 'printf "\n" 日本 \u2028', deep: { list: [1, null] } } });
    await log.write(odd);
    await log.write(event());
    const [first, second] = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(Object.keys(first!)).toEqual([
      "timestamp",
      "event_type",
      "tool",
      "args",
      "result",
      "user",
      "session_id",
      "seq",
      "prev",
    ]);
    expect(first).toEqual({ ...odd, seq: 1, prev: "0".repeat(64) });
    expect(second).toMatchObject({ seq: 2, prev: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("AUD-01: nothing is opened before the first record, and an open file of others is made private", async () => {
    const log = start();
    expect(existsSync(join(home, "logs"))).toBe(false);
    mkdirSync(join(home, "logs"));
    writeFileSync(path, "");
    chmodSync(path, 0o644);
    await log.write(event());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("AUD-02: ten thousand records written at once stand in order and the chain holds", async () => {
    const log = start();
    await Promise.all(Array.from({ length: 10_000 }, (_, n) => log.write(event({ session_id: `${n}` }))));
    expect(await verify(path)).toEqual({
      records: 10_000,
      files: 1,
      first: 1,
      last: 10_000,
      acknowledged: [],
    });
    expect(lines().map((line) => Number((JSON.parse(line) as { session_id: string }).session_id))).toEqual(
      Array.from({ length: 10_000 }, (_, n) => n),
    );
  });

  test("AUD-02: the chain goes on after a restart", async () => {
    await start().write(event());
    await start().write(event());
    expect(await verify(path)).toMatchObject({ records: 2, last: 2 });
    expect(warnings).toEqual([]);
  });
});

describe("files", () => {
  test("AUD-02: a new day and a large file start a new file, and the chain runs through all of them", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const log = start({ rotateBytes: 400 });
    for (const day of [1, 1, 1, 2, 4]) {
      onDay(day);
      await log.write(event());
    }
    expect(segmentsOf(path).map(({ day, from }) => [day, from])).toEqual([
      ["2026-01-01", 1],
      ["2026-01-01", 3],
      ["2026-01-02", 4],
    ]);
    expect(segmentsOf(path)[0]!.path).toBe(join(home, "logs", "audit.2026-01-01.000000000001.jsonl"));
    expect(await verify(path)).toEqual({ records: 5, files: 4, first: 1, last: 5, acknowledged: [] });
  });

  test("AUD-02: files older than log_retention_days are deleted, at a start too, and the rest still verifies", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const day of [1, 2, 3, 9, 10, 11]) {
      onDay(day);
      await start({ retentionDays: 8 }).write(event());
    }
    expect(segmentsOf(path).map(({ day }) => day)).toEqual(["2026-01-03", "2026-01-09", "2026-01-10"]);
    expect(await verify(path)).toEqual({ records: 4, files: 4, first: 3, last: 6, acknowledged: [] });
    onDay(30);
    await start({ retentionDays: 8 }).write(event());
    expect(segmentsOf(path)).toEqual([]);
    expect(await verify(path)).toEqual({ records: 1, files: 1, first: 7, last: 7, acknowledged: [] });
  });

  test("AUD-02: an earlier file that somebody deleted is missed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const log = start();
    for (const day of [1, 2, 3, 4]) {
      onDay(day);
      await log.write(event());
      await log.write(event());
    }
    const [first, second, third] = segmentsOf(path).map((segment) => segment.path) as [
      string,
      string,
      string,
    ];
    renameSync(second, join(home, "second"));
    expect((await verify(path)).problem).toEqual({
      file: third,
      line: 1,
      what: "records 3 to 4 were removed from here, or moved",
      gap: { from: 3, to: 4, before: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    renameSync(join(home, "second"), second);
    unlinkSync(first);
    expect((await verify(path)).problem).toEqual({
      file: second,
      line: 1,
      what: "records 1 to 2 were removed from here, or moved",
      gap: { from: 1, to: 2, before: "0".repeat(64) },
    });
  });
});

describe("after a crash", () => {
  test("AUD-02: a torn last record is moved to a file of its own by the next writer, and the chain holds before and after", async () => {
    await start().write(event());
    appendFileSync(path, '{"timestamp":"2026-01-01T0');
    expect(await verify(path)).toMatchObject({ records: 1, last: 1 });
    await start().write(event());
    expect(await verify(path)).toEqual({ records: 2, files: 1, first: 1, last: 2, acknowledged: [] });
    expect(readFileSync(`${path}.torn`, "utf8")).toBe('{"timestamp":"2026-01-01T0\n');
    expect(statSync(`${path}.torn`).mode & 0o777).toBe(0o600);
    expect(warnings).toEqual([expect.stringContaining("26 bytes were moved")]);
  });

  test("AUD-02: whole records that the head does not know yet are taken in", async () => {
    const log = start();
    await log.write(event());
    const head = readFileSync(join(`${path}.chain`, "head"));
    await log.write(event());
    await log.write(event());
    writeFileSync(join(`${path}.chain`, "head"), head);
    await start().write(event());
    expect(await verify(path)).toEqual({ records: 4, files: 1, first: 1, last: 4, acknowledged: [] });
    expect(existsSync(`${path}.torn`)).toBe(false);
  });

  test("AUD-02: a head that is lost or unreadable is found again from the last record", async () => {
    await start().write(event());
    rmSync(`${path}.chain`, { recursive: true });
    await start().write(event());
    writeFileSync(join(`${path}.chain`, "head"), "\0".repeat(256));
    appendFileSync(path, '{"torn');
    await start().write(event());
    expect(await verify(path)).toEqual({ records: 3, files: 1, first: 1, last: 3, acknowledged: [] });
  });

  test("AUD-02: a file that was put away by a process that died then is no gap", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.UTC(2026, 0, 1));
    await start().write(event());
    renameSync(path, join(home, "logs", "audit.2026-01-01.000000000001.jsonl"));
    await start().write(event());
    expect(await verify(path)).toEqual({ records: 2, files: 2, first: 1, last: 2, acknowledged: [] });
    expect(warnings).toEqual([]);
  });

  test("AUD-02: a process that died with our own pid, as in a container that starts again, holds nothing", async () => {
    await start().write(event());
    renameSync(join(`${path}.chain`, "head"), join(`${path}.chain`, `head.${process.pid}.1.1`));
    await start().write(event());
    expect(await verify(path)).toMatchObject({ records: 2, last: 2 });
  });

  test("AUD-02: records cut off at the end stay missed, also after more are written", async () => {
    const log = start();
    for (let n = 0; n < 3; n++) await log.write(event());
    const size = lines()[0]!.length + 1;
    truncateSync(path, size + 20);
    expect((await verify(path)).problem).toMatchObject({ line: 2 });
    await start().write(event());
    expect((await verify(path)).problem).toEqual({
      file: path,
      line: 2,
      what: "records 2 to 3 were removed from here, or moved",
      gap: { from: 2, to: 3, before: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(warnings).toEqual([
      expect.stringContaining("Records are missing"),
      expect.stringContaining("20 bytes were moved"),
    ]);
  });
});

describe("what cannot be written", () => {
  test("AUD-03: a place that cannot be written is refused with its path, and works again once it can", async () => {
    writeFileSync(join(home, "logs"), "in the way");
    const log = start();
    await expect(log.write(event())).rejects.toMatchObject({
      code: "AUDIT_FILE_FAILED",
      message: expect.stringContaining(path),
    });
    unlinkSync(join(home, "logs"));
    await log.write(event());
    expect(await verify(path)).toMatchObject({ records: 1 });
  });

  test("AUD-03: a log that another living process holds is refused after a while, and free again when it lets go", async () => {
    const log = start({ patienceMs: 30 });
    await log.write(event());
    const other = new Token(path, 30);
    await other.take();
    await expect(log.write(event())).rejects.toMatchObject({ code: "AUDIT_FILE_BUSY" });
    await other.release();
    await log.write(event());
    expect(await verify(path)).toMatchObject({ records: 2 });
  });
});
