import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AuditLog } from "./audit-log.ts";
import { event } from "./event.test-kit.ts";
import { segmentsOf } from "./segments.ts";
import { verify } from "./verify.ts";

const KILLS = process.env["GANTRY_LONG"] ? 200 : 6;
const script = new URL("writer.test-kit.ts", import.meta.url).pathname;
const children = new Set<ChildProcess>();
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-audit-"));
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  await rm(home, { recursive: true });
});

function writer(
  path: string,
  bytes: number,
): ChildProcess & { readonly stdin: NonNullable<ChildProcess["stdin"]> } {
  const child = spawn(process.execPath, ["--conditions=gantry-source", script, path, String(bytes)], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  children.add(child);
  return child;
}

function sessionsIn(path: string): readonly string[] {
  const files = [...segmentsOf(path).map((segment) => segment.path), path];
  const records = files.flatMap((file) => readFileSync(file, "utf8").trimEnd().split("\n"));
  return records.map((line) => (JSON.parse(line) as { session_id: string }).session_id);
}

test("AUD-02: three processes write one log while one after the other is killed: the chain holds and no confirmed record is lost", async () => {
  const path = join(home, "audit.jsonl");
  const confirmed: string[] = [];
  let starts = 0;
  const live = async (): Promise<void> => {
    while (starts++ < KILLS) {
      const child = writer(path, 100);
      let left = 5 + Math.floor(Math.random() * 120);
      for await (const line of createInterface({ input: child.stdout! })) {
        expect(line).toMatch(/^wrote /);
        confirmed.push(line.slice("wrote ".length));
        if (left-- === 0) child.kill("SIGKILL");
      }
      children.delete(child);
    }
  };
  await Promise.all([live(), live(), live()]);
  const log = new AuditLog({ path, retentionDays: 30, warn: () => {} });
  await log.write(event({ session_id: "last" }));
  await log.close();

  const { problem, records } = await verify(path);
  expect(problem).toBeUndefined();
  const found = sessionsIn(path);
  expect(found.length).toBe(records);
  expect(new Set(found).size).toBe(records);
  expect(confirmed.length).toBeGreaterThan(KILLS);
  expect(confirmed.filter((id) => !found.includes(id))).toEqual([]);
}, 600_000);

const mountable =
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.skipIf(!mountable)(
  "AUD-03: on a full disk a record is refused and leaves nothing behind, and the log goes on when there is room",
  async () => {
    const place = join(home, "small");
    mkdirSync(place);
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=128k", "none", place]);
    try {
      const path = join(place, "audit.jsonl");
      const child = writer(path, 3000);
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      let confirmed = 0;
      let line = "";
      while (!line.startsWith("failed")) {
        line = (await lines.next()).value as string;
        if (line.startsWith("wrote")) confirmed++;
      }
      expect(line).toBe("failed AUDIT_FILE_FAILED");
      expect(await verify(path)).toMatchObject({ records: confirmed, last: confirmed });
      spawnSync("mount", ["-o", "remount,size=4m", place]);
      child.stdin.write("go on\n");
      expect((await lines.next()).value).toMatch(/^wrote/);
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
      expect((await verify(path)).problem).toBeUndefined();
    } finally {
      spawnSync("umount", [place]);
    }
  },
  120_000,
);
