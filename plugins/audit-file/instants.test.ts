import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AuditLog } from "./audit-log.ts";
import { event } from "./event.test-kit.ts";
import { segmentsOf } from "./segments.ts";
import { verify } from "./verify.ts";

const watch = vi.hoisted(() => ({ change: undefined as (() => void) | undefined }));

/** Every change of a file is shown to `watch`, and a write is cut in two. */
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const shown = (
    name: "openSync" | "renameSync" | "writeFileSync" | "appendFileSync" | "truncateSync" | "unlinkSync",
  ) => {
    const real = fs[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      const result = real(...args);
      watch.change?.();
      return result;
    };
  };
  return {
    ...fs,
    openSync: shown("openSync"),
    renameSync: shown("renameSync"),
    writeFileSync: shown("writeFileSync"),
    appendFileSync: shown("appendFileSync"),
    truncateSync: shown("truncateSync"),
    unlinkSync: shown("unlinkSync"),
    writeSync(file: number, bytes: Uint8Array, from: number) {
      const left = bytes.length - from;
      const done = fs.writeSync(file, bytes, from, from === 0 ? Math.ceil(left * 0.7) : left);
      watch.change?.();
      return done;
    },
  };
});

const RECORDS = process.env["GANTRY_LONG"] ? 4 : 2;

/** A directory as it was at one instant, and the records that were confirmed by then. */
interface Instant {
  readonly home: string;
  readonly confirmed: readonly string[];
}

let root: string;
let made = 0;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "gantry-audit-"));
});
afterEach(async () => {
  watch.change = undefined;
  await rm(root, { recursive: true });
});

/**
 * Writes records in `home`, and gives every instant on the way, each as if the writer had been
 * killed there.
 */
async function instantsOf(
  { home, confirmed }: Instant,
  name: string,
  rotateBytes: number,
  shown = true,
): Promise<Instant[]> {
  const found: Instant[] = [];
  const known = [...confirmed];
  const keep = (): void => {
    watch.change = undefined;
    const copy = join(root, `${++made}`);
    cpSync(home, copy, { recursive: true });
    const chain = join(copy, "audit.jsonl.chain");
    for (const entry of existsSync(chain) ? readdirSync(chain) : [])
      if (entry.startsWith("head.")) renameSync(join(chain, entry), join(chain, `head.4194305.1.${made}`));
    found.push({ home: copy, confirmed: [...known] });
    watch.change = keep;
  };
  watch.change = shown ? keep : undefined;
  const log = new AuditLog({
    path: join(home, "audit.jsonl"),
    retentionDays: 30,
    warn: () => {},
    rotateBytes,
    patienceMs: 60_000,
  });
  for (let n = 0; n < RECORDS; n++) {
    await log.write(event({ session_id: `${name}${n}` }));
    known.push(`${name}${n}`);
  }
  await log.close();
  watch.change = undefined;
  const path = join(home, "audit.jsonl");
  const files = [...segmentsOf(path).map((segment) => segment.path), path];
  const lines = files.flatMap((file) => readFileSync(file, "utf8").trimEnd().split("\n"));
  const sessions = lines.map((line) => (JSON.parse(line) as { session_id: string }).session_id);
  const { problem, records } = await verify(path);
  expect(problem).toBeUndefined();
  expect(records).toBe(sessions.length);
  expect(new Set(sessions).size).toBe(sessions.length);
  expect(sessions.filter((id) => known.includes(id))).toEqual(known);
  return found;
}

test.each([1, 600, 1_000_000])(
  "AUD-02: killed at any instant, and again at any instant of the repair, the log loses nothing (a new file from %i bytes)",
  async (rotateBytes) => {
    const home = join(root, "first");
    mkdirSync(home);
    const first = await instantsOf({ home, confirmed: [] }, "a", rotateBytes);
    expect(first.length).toBeGreaterThan(RECORDS * 5);
    for (const instant of first)
      for (const again of await instantsOf(instant, "b", rotateBytes))
        await instantsOf(again, "c", rotateBytes, false);
  },
  600_000,
);
