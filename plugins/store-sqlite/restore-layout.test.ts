import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gantry, said, startGantry } from "../../test/helpers/cli.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { layout } from "./layout.ts";
import { openFile } from "./open.ts";
import type { Sql } from "./sql.ts";
import { createStore } from "./store.ts";

const toml = 'default_provider = "demo"\n';
const known = layout.length;
const newer = [...layout, "CREATE TABLE newer (n INTEGER)"];
const yes = ["restore", "--layout", String(known), "--yes"];
const kit = (name: string): string =>
  path.join(path.dirname(fileURLToPath(import.meta.url)), `${name}.test-kit.ts`);

/** Three conversations, and what a newer release has added that was killed. */
const crashed = tempDir(toml);

beforeAll(async () => {
  const file = storeIn(crashed.dir);
  const { store, close } = createStore(file);
  for (const id of ["a", "b", "c"])
    await store.sessions.append(id, [{ role: "user", parts: [{ type: "text", text: id }] }]);
  await close();
  const args = ["--conditions=gantry-source", kit("worker"), file, "forward"];
  const child = spawn(process.execPath, args);
  await said(child, "stdout", /moved/);
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
});
afterAll(() => crashed[Symbol.dispose]());

function storeIn(dir: string): string {
  return path.join(dir, "state", "gantry.db");
}

/** The configuration directory as the crash left it, once more. */
function afterCrash(): ReturnType<typeof tempDir> {
  const home = tempDir(toml);
  cpSync(path.join(crashed.dir, "state"), path.join(home.dir, "state"), { recursive: true });
  return home;
}

function asides(dir: string): string[] {
  return readdirSync(dir).filter((name) => name.startsWith("before-restore-"));
}

/** Tells which store is in a directory by opening a copy of all of it, or says what is wrong. */
async function held(dir: string): Promise<string> {
  if (!existsSync(storeIn(dir))) return "none";
  using scratch = tempDir();
  cpSync(path.join(dir, "state"), path.join(scratch.dir, "state"), { recursive: true });
  let sql: Sql | undefined;
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const plain = new DatabaseSync(storeIn(scratch.dir));
    const version = Number(plain.prepare("PRAGMA user_version").get()!["user_version"]);
    plain.close();
    sql = await openFile(storeIn(scratch.dir), version > known ? newer : layout);
    const check = sql.get("PRAGMA quick_check")!["quick_check"];
    const turns = sql.get("SELECT count(*) AS n FROM turns")!["n"];
    const added = version > known && sql.get("SELECT count(*) AS n FROM newer")!["n"];
    if (version > known) return `newer: ${check}, ${turns} turns, ${added} added`;
    return `older: ${check}, ${turns} turns`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    sql?.close();
  }
}

const olderWhole = "older: ok, 3 turns";
const newerWhole = "newer: ok, 103 turns, 100 added";

test("FLR-13: after a crash of the newer release nothing of either store is lost", async () => {
  using home = afterCrash();
  expect(statSync(`${storeIn(home.dir)}-wal`).size).toBeGreaterThan(0);
  expect(await gantry(yes, { dir: home.dir })).toMatchObject({ code: 0, err: "" });
  expect(await held(home.dir)).toBe(olderWhole);
  const state = readdirSync(path.join(home.dir, "state"));
  expect(state.filter((name) => name.startsWith("gantry.db")).toSorted()).toEqual([
    "gantry.db",
    `gantry.db.layout${known}`,
  ]);
  const [aside = ""] = asides(home.dir);
  expect(readdirSync(path.join(home.dir, aside, "state"))).toContain("gantry.db-wal");
  expect(await held(path.join(home.dir, aside))).toBe(newerWhole);
  const { out } = await gantry(["sessions", "list"], { dir: home.dir });
  for (const id of ["a", "b", "c"]) expect(out).toMatch(new RegExp(`^${id} `, "m"));
});

test("FLR-13: what goes out of use is told, and nothing changed before --yes", async () => {
  using home = afterCrash();
  for (const [more, code] of [["--dry-run", 0] as const, [undefined, 3] as const]) {
    const args = ["restore", "--layout", String(known), ...(more ? [more] : [])];
    const { out, ...ended } = await gantry(args, { dir: home.dir });
    expect(ended.code).toBe(code);
    expect(out).toMatch(/^Kept \d{4}-.*: 3 conversations, 0 memories, 0 messages from channels\n/);
    expect(out).toContain(`before an upgrade from layout ${known}:`);
    expect(out).toContain("What came since goes out of use: 10 conversations, 0 memories, 0 mess");
    expect(out).not.toContain("install the release");
  }
  expect(await held(home.dir)).toBe(newerWhole);
  expect(statSync(`${storeIn(home.dir)}-wal`).size).toBeGreaterThan(0);
  expect(asides(home.dir)).toEqual([]);
});

test("FLR-13: a restore --layout killed at any step loses nothing when run again", async () => {
  const unfinished: string[] = [];
  let step = 1;
  for (let isKilled = true; isKilled; step += 1) {
    using home = afterCrash();
    const env = { NODE_OPTIONS: `--import=${kit("killed-at")}`, GANTRY_KILL_AT: String(step) };
    const { code } = await gantry(yes, { dir: home.dir, env });
    isKilled = code === null;
    const between = await held(home.dir);
    expect([step, code, between]).toEqual([
      step,
      isKilled ? null : 0,
      expect.stringMatching(new RegExp(`^(?:none|${olderWhole}|${newerWhole})$`)),
    ]);
    const start = ["sessions", "list"];
    if (between === "none") unfinished.push((await gantry(start, { dir: home.dir })).err);
    expect(await gantry(yes, { dir: home.dir })).toMatchObject({ code: 0, err: "" });
    expect(await held(home.dir)).toBe(olderWhole);
    const kept = await Promise.all(asides(home.dir).map((name) => held(path.join(home.dir, name))));
    expect([step, ...kept]).toContain(newerWhole);
    const left = readdirSync(path.join(home.dir, "state"));
    expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([]);
  }
  // Before the draft, in it, and after each of the three files that were moved.
  expect(step).toBeGreaterThan(8);
  expect(unfinished.length).toBeGreaterThan(2);
  const why = /has not ended: .*stopped, `gantry restore --layout \d --yes`; .* \/.*\/before-restore-.*UNFIN/;
  for (const sentence of unfinished) expect(sentence).toMatch(why);
}, 240_000);

test("FLR-13: restore --layout is refused while a service runs", async () => {
  using home = tempDir(`${toml}[gateway]\nport = 0\n`);
  (await openFile(storeIn(home.dir), layout.slice(0, 1))).close();
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  try {
    await said(child, "stderr", /Gantry is ready/);
    const { code, err } = await gantry(["restore", "--layout", "1", "--yes"], { dir: home.dir });
    expect([code, err]).toEqual([1, expect.stringContaining("ALREADY_RUNNING")]);
    expect(asides(home.dir)).toEqual([]);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});

test("FLR-13: a release that would move the store forward says which to install", async () => {
  using home = tempDir(toml);
  (await openFile(storeIn(home.dir), layout.slice(0, 1))).close();
  (await openFile(storeIn(home.dir))).close();
  const { code, out } = await gantry(["restore", "--layout", "1", "--yes"], { dir: home.dir });
  expect(code).toBe(0);
  expect(out).toContain("install the release of layout 1 before you start it.\n");
  const sql = await openFile(storeIn(home.dir), layout.slice(0, 1));
  expect(sql.get("PRAGMA user_version")).toEqual({ user_version: 1 });
  sql.close();
});

test("FLR-13: without a layout that was kept, restore names those that were", async () => {
  using home = tempDir(toml);
  const layouts = ["restore", "--layout", "7", "--yes"];
  for (const [args, code] of [
    [["restore"], "RESTORE_WHAT"],
    [["restore", "some.backup", "--layout", "1"], "RESTORE_WHAT"],
    [layouts, "LAYOUT_NOT_KEPT"],
  ] as const) {
    const none = await gantry(args, { dir: home.dir });
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringMatching(`none is kept here.*${code}`) as string,
    });
  }
  const file = storeIn(home.dir);
  for (const count of [1, 2, known]) (await openFile(file, layout.slice(0, count))).close();
  for (const args of [["restore"], layouts])
    expect((await gantry(args, { dir: home.dir })).err).toContain("(layouts kept here: 1, 2).");
});

test("FLR-13: restore --layout works with a key that only the newer release knows", async () => {
  using home = afterCrash();
  writeFileSync(home.file, `${toml}key_of_the_newer = 1\n`, { mode: 0o600 });
  expect((await gantry(yes, { dir: home.dir })).out).toContain("Restored from");
  expect(await held(home.dir)).toBe(olderWhole);
});

test("FLR-13: a kept file that is damaged or of another layout is not put back", async () => {
  using home = afterCrash();
  const kept = `${storeIn(home.dir)}.layout`;
  copyFileSync(`${kept}${known}`, `${kept}1`);
  const bytes = readFileSync(`${kept}${known}`);
  writeFileSync(`${kept}2`, bytes.subarray(0, bytes.length / 2));
  for (const [number, why] of [
    ["1", `the layout in it is ${known}`],
    ["2", "malformed"],
  ] as const) {
    const { code, err } = await gantry(["restore", "--layout", number, "--yes"], { dir: home.dir });
    expect([code, err]).toEqual([1, expect.stringMatching(`${why}.*, if there is one.*UNREADABLE`)]);
  }
  expect(await held(home.dir)).toBe(newerWhole);
});

test("FLR-13: STORE_NEWER names the way back if the earlier store was kept", async () => {
  using home = afterCrash();
  const word =
    "install that release again, or go back to the store kept before the upgrade: " +
    `\`gantry restore --layout ${known}\`. [STORE_NEWER]`;
  expect((await gantry(["sessions", "list"], { dir: home.dir })).err).toContain(word);
  const doctor = await gantry(["doctor"], { dir: home.dir });
  expect(doctor.out).toMatch(new RegExp(`store file .*restore --layout ${known}`));
  expect(doctor.out).not.toContain("gantry restore FILE");
  using bare = tempDir(toml);
  mkdirSync(path.join(bare.dir, "state"));
  (await openFile(storeIn(bare.dir), newer)).close();
  expect((await gantry(["sessions", "list"], { dir: bare.dir })).err).toContain(
    "install that release again. [STORE_NEWER]",
  );
});
