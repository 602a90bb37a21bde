import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, said, startGantry } from "../../test/helpers/cli.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { createStore } from "./store.ts";

const toml = 'default_provider = "demo"\n[gateway]\nport = 0\n';

function storeOf(dir: string): ReturnType<typeof createStore> {
  return createStore(path.join(dir, "state", "gantry.db"));
}

test("OPS-03: a backup beside the running service holds all that was kept, is closed to others and overwrites nothing", async () => {
  using home = tempDir(toml);
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  const { store, close } = storeOf(home.dir);
  for (let n = 0; n < 300; n += 1) await store.values.put("s", `k${n}`, n);
  const file = path.join(home.dir, "..", `${path.basename(home.dir)}.backup`);
  try {
    expect(await gantry(["backup", file], { dir: home.dir })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Wrote .*\.backup: the store and \d+ files?\n$/) as string,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await gantry(["backup", file], { dir: home.dir })).toMatchObject({
      code: 2,
      err: expect.stringContaining("BACKUP_EXISTS") as string,
    });
    const { DatabaseSync } = await import("node:sqlite");
    const copy = new DatabaseSync(file, { readOnly: true });
    expect(copy.prepare("SELECT count(*) AS n FROM named WHERE space = 's'").get()).toEqual({ n: 300 });
    copy.close();
    expect(await gantry(["restore", file, "--yes"], { dir: home.dir })).toMatchObject({
      code: 1,
      err: expect.stringContaining("ALREADY_RUNNING") as string,
    });
    // Into the directory that it is a copy of, and nothing of itself in it.
    const inside = path.join(home.dir, "inside.backup");
    expect((await gantry(["backup", inside], { dir: home.dir })).code).toBe(0);
    expect((await gantry(["restore", inside, "--dry-run"], { dir: home.dir })).out).not.toContain("inside");
  } finally {
    await close();
    child.kill("SIGTERM");
    await ended;
    rmSync(file, { force: true });
  }
});

test("OPS-03: what was lost is put back by restore, told before by --dry-run, and what is in its place is kept", async () => {
  using home = tempDir(toml);
  using elsewhere = tempDir();
  const file = path.join(elsewhere.dir, "all.backup");
  const first = storeOf(home.dir);
  await first.store.sessions.append("s1", [{ role: "user", parts: [{ type: "text", text: "hi" }] }]);
  await first.close();
  mkdirSync(path.join(home.dir, "workspace"));
  writeFileSync(path.join(home.dir, "workspace", "mine.txt"), "mine");
  expect((await gantry(["backup", file], { dir: home.dir })).code).toBe(0);

  writeFileSync(home.file, `${toml}# changed\n`, { mode: 0o600 });
  const second = storeOf(home.dir);
  await second.store.sessions.remove("s1");
  await second.close();
  const told = await gantry(["restore", file, "--dry-run"], { dir: home.dir });
  expect(told).toMatchObject({ code: 0, err: "" });
  expect(told.out).toMatch(
    /^Of \d{4}-.*, by version .*: 1 conversation, 0 memories, 0 messages from channels\n/,
  );
  expect(told.out).toContain("  replaced config.toml\n");
  expect(told.out).not.toContain("mine.txt");
  expect(readFileSync(home.file, "utf8")).toContain("# changed");
  expect(await gantry(["restore", file], { dir: home.dir })).toMatchObject({
    code: 3,
    err: expect.stringContaining("RESTORE_NOT_ACCEPTED") as string,
  });

  expect((await gantry(["restore", file, "--yes"], { dir: home.dir })).code).toBe(0);
  expect(readFileSync(home.file, "utf8")).toBe(toml);
  expect(readFileSync(path.join(home.dir, "workspace", "mine.txt"), "utf8")).toBe("mine");
  const third = storeOf(home.dir);
  expect(await third.store.sessions.list(9)).toMatchObject([{ id: "s1", turns: 1 }]);
  await third.close();
  const aside = readdirSync(home.dir).find((name) => name.startsWith("before-restore-")) ?? "";
  expect(readFileSync(path.join(home.dir, aside, "config.toml"), "utf8")).toContain("# changed");
  expect(existsSync(path.join(home.dir, aside, "state", "gantry.db"))).toBe(true);
  expect(await gantry(["audit", "verify"], { dir: home.dir })).toMatchObject({ code: 0 });
});

test("OPS-03: a backup holds nothing of runs, and restore leaves out those of earlier backups", async () => {
  using home = tempDir(toml);
  using elsewhere = tempDir();
  const file = path.join(elsewhere.dir, "all.backup");
  const layer = path.join(home.dir, "state", "views", "w", "run");
  mkdirSync(layer, { recursive: true });
  writeFileSync(path.join(layer, "secret.txt"), "refused");
  expect((await gantry(["backup", file], { dir: home.dir })).code).toBe(0);
  const { DatabaseSync } = await import("node:sqlite");
  const made = new DatabaseSync(file);
  const names = made
    .prepare("SELECT path FROM backup_files")
    .all()
    .map((row) => row["path"]);
  const insert = made.prepare("INSERT INTO backup_files VALUES (?, ?, ?)");
  insert.run("state/views/w/run/early.txt", 0o600, Buffer.from("x"));
  made.close();
  expect(names).toContain("config.toml");
  expect(names.filter((name) => String(name).includes("views"))).toEqual([]);
  expect((await gantry(["restore", file, "--yes"], { dir: home.dir })).code).toBe(0);
  expect(readdirSync(layer)).toEqual(["secret.txt"]);
});

test("OPS-03: what is no whole backup changes nothing", async () => {
  using home = tempDir(toml);
  using elsewhere = tempDir();
  const file = path.join(elsewhere.dir, "all.backup");
  expect((await gantry(["backup", file], { dir: home.dir })).code).toBe(0);
  const good = readFileSync(file);
  const bad: readonly (readonly [string, Buffer])[] = [
    ["cut", good.subarray(0, 5_000)],
    ["damaged", Buffer.concat([good.subarray(0, 4_096), Buffer.alloc(good.length - 4_096, 0xa5)])],
    ["text", Buffer.from("no database at all, whatever its name says".repeat(50))],
  ];
  for (const [what, bytes] of bad) {
    chmodSync(file, 0o600);
    writeFileSync(file, bytes);
    const { code, err } = await gantry(["restore", file, "--yes"], { dir: home.dir });
    expect([what, code, err]).toEqual([what, 1, expect.stringContaining("BACKUP_UNREADABLE")]);
  }
  const { DatabaseSync } = await import("node:sqlite");
  for (const name of ["../evil", "config.toml/evil", "a//evil", "evil\0"]) {
    writeFileSync(file, good);
    const evil = new DatabaseSync(file);
    evil.prepare("INSERT INTO backup_files VALUES (?, ?, ?)").run(name, 0o600, Buffer.from("x"));
    evil.close();
    const { code, err } = await gantry(["restore", file, "--yes"], { dir: home.dir });
    expect([name, code, err]).toEqual([name, 1, expect.stringMatching(/it names .*evil.*BACKUP_UNREADABLE/)]);
  }
  expect(existsSync(path.join(home.dir, "..", "evil"))).toBe(false);
  expect(readdirSync(home.dir).filter((name) => name.startsWith("before"))).toEqual([]);
});
