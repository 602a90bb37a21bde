import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gantry } from "../../test/helpers/cli.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { backupTables } from "./backup.ts";
import { layout } from "./layout.ts";
import { openFile } from "./open.ts";
import { layoutOf } from "./own-schema.ts";
import { createStore } from "./store.ts";

const toml = 'default_provider = "demo"\n';
const elsewhere = tempDir();
const good = path.join(elsewhere.dir, "good.backup");

beforeAll(async () => {
  using home = tempDir(toml);
  await gantry(["backup", good], { dir: home.dir });
});
afterAll(() => elsewhere[Symbol.dispose]());

/** A backup that somebody has changed. */
function changed(name: string, change: (db: DatabaseSync) => void): string {
  const file = path.join(elsewhere.dir, name);
  copyFileSync(good, file);
  const db = new DatabaseSync(file);
  change(db);
  db.close();
  return file;
}

function withFiles(name: string, files: readonly (readonly [at: string, mode: number])[]): string {
  return changed(name, (db) => {
    const insert = db.prepare("INSERT INTO backup_files VALUES (?, ?, ?)");
    for (const [at, mode] of files) insert.run(at, mode, Buffer.from("foreign"));
  });
}

/** Returns the part of a directory that restore could have changed. */
function stateOf(dir: string): unknown {
  return readdirSync(dir).filter((name) => name.startsWith("before-") || name === "state");
}

test("FLR-37: restore is refused if the way to a file leads through a link or a file", async () => {
  using home = tempDir(toml);
  using outside = tempDir();
  mkdirSync(path.join(home.dir, "real"));
  symlinkSync(outside.dir, path.join(home.dir, "linked"));
  symlinkSync(outside.dir, path.join(home.dir, "real", "deeper"));
  symlinkSync(path.join(outside.dir, "missing"), path.join(home.dir, "dangling"));
  writeFileSync(path.join(home.dir, "plain"), "mine");
  for (const at of ["linked/keys", "real/deeper/more/keys", "dangling/keys", "plain/keys"]) {
    for (const word of ["--dry-run", "--yes"]) {
      const file = withFiles("linked.backup", [[at, 0o600]]);
      const { code, err } = await gantry(["restore", file, word], { dir: home.dir });
      const why = `${path.dirname(at).replace("/more", "")}, on the way to .*RESTORE_NO_FOLDER`;
      expect([code, err]).toEqual([3, expect.stringMatching(why)]);
    }
  }
  expect([stateOf(home.dir), readdirSync(outside.dir)]).toEqual([[], []]);
});

test("FLR-37: restore is refused if the store's own folder is a link", async () => {
  using home = tempDir(toml);
  using outside = tempDir();
  symlinkSync(outside.dir, path.join(home.dir, "state"));
  const { err } = await gantry(["restore", good, "--yes"], { dir: home.dir });
  expect(err).toContain("RESTORE_NO_FOLDER");
  expect(readdirSync(outside.dir)).toEqual([]);
});

test("FLR-37: a link in a file's place is moved aside and never followed", async () => {
  using home = tempDir(toml);
  using outside = tempDir();
  const [there, missing] = [path.join(outside.dir, "there"), path.join(outside.dir, "missing")];
  writeFileSync(there, "theirs");
  symlinkSync(there, path.join(home.dir, "first"));
  symlinkSync(missing, path.join(home.dir, "second"));
  const file = withFiles("links.backup", [
    ["first", 0o600],
    ["second", 0o600],
  ]);
  const { code, out } = await gantry(["restore", file, "--yes"], { dir: home.dir });
  expect(code).toBe(0);
  expect(out).toMatch(/ {2}replaced first\n {2}replaced second\n/);
  expect([readFileSync(there, "utf8"), existsSync(missing)]).toEqual(["theirs", false]);
  const aside = readdirSync(home.dir).find((name) => name.startsWith("before-restore-")) ?? "";
  for (const name of ["first", "second"]) {
    expect(readFileSync(path.join(home.dir, name), "utf8")).toBe("foreign");
    expect(lstatSync(path.join(home.dir, aside, name)).isSymbolicLink()).toBe(true);
  }
});

test("FLR-37: what is restored has no mode beyond 0600", async () => {
  using home = tempDir(toml);
  const file = withFiles("modes.backup", [
    ["setuid", 0o4777],
    ["service.env", 0o644],
    ["bin/tool", 0o755],
    ["closed", 0o400],
  ]);
  expect((await gantry(["restore", file, "--yes"], { dir: home.dir })).code).toBe(0);
  const modes = ["setuid", "service.env", "bin/tool", "closed"].map(
    (name) => statSync(path.join(home.dir, name)).mode & 0o7777,
  );
  expect(modes).toEqual([0o600, 0o600, 0o600, 0o400]);
});

test("FLR-37: a backup that names the store's own files is refused", async () => {
  using home = tempDir(toml);
  const names = ["gantry.db", "gantry.db-wal", "GANTRY.db-wal", "serving.lock"];
  for (const at of names.map((name) => `state/${name}`)) {
    const file = withFiles("store.backup", [[at, 0o600]]);
    const { code, err } = await gantry(["restore", file, "--yes"], { dir: home.dir });
    const why = expect.stringMatching(/in no backup.*BACKUP_UNREADABLE/) as string;
    expect([at, code, err]).toEqual([at, 1, why]);
  }
  expect(stateOf(home.dir)).toEqual([]);
});

/** Each does something in the store that its own layout does not. */
const attacks: readonly (readonly [what: string, sql: string])[] = [
  [
    "the trigger planted",
    `CREATE TRIGGER planted AFTER INSERT ON turns BEGIN
      INSERT INTO memory (text, created) VALUES ('obey', 1); END`,
  ],
  [
    "the trigger session_media",
    `DROP TRIGGER session_media;
     CREATE TRIGGER session_media AFTER DELETE ON sessions BEGIN DELETE FROM usage; END`,
  ],
  [
    "the view views",
    `DROP TABLE views;
     CREATE VIEW views AS
       SELECT id AS session, 0 AS generation, 0 AS through, '' AS base FROM sessions`,
  ],
  ["the table more", "CREATE TABLE more (a)"],
  ["the index more", "CREATE INDEX more ON turns (messages)"],
  ["the table sessions", "ALTER TABLE sessions ADD COLUMN more TEXT DEFAULT 'x'"],
  ["the table backup_files", "ALTER TABLE backup_files ADD COLUMN more TEXT"],
];

test.each(attacks)(
  "FLR-37: a file that brings %s is refused by name, with nothing changed",
  async (what, sql) => {
    using home = tempDir(toml);
    const file = changed("schema.backup", (db) => db.exec(sql));
    const refused = [1, expect.stringMatching(`holds ${what}, which no store.*BACKUP_FOREIGN`)];
    const { code, err } = await gantry(["restore", file, "--yes"], { dir: home.dir });
    expect([code, err]).toEqual(refused);
    expect(stateOf(home.dir)).toEqual([]);
    if (what.includes("backup")) return;
    const store = path.join(home.dir, "state", "gantry.db");
    (await openFile(store)).close();
    const kept = await openFile(`${store}.layout${layout.length}`);
    kept.script(sql);
    kept.close();
    const back = ["restore", "--layout", String(layout.length), "--yes"];
    const ended = await gantry(back, { dir: home.dir });
    expect([ended.code, ended.err]).toEqual(refused);
    expect(stateOf(home.dir)).toEqual(["state"]);
  },
);

test("FLR-37: a file that lacks an index of its layout is refused", async () => {
  using home = tempDir(toml);
  const file = changed("lacking.backup", (db) => db.exec("DROP INDEX turns_session"));
  const { err } = await gantry(["restore", file, "--yes"], { dir: home.dir });
  expect(err).toMatch(/the index turns_session is missing.*BACKUP_UNREADABLE/);
});

test("FLR-37: stores that came from any earlier layout are taken", async () => {
  for (let first = 1; first <= layout.length; first++) {
    using home = tempDir(toml);
    const store = path.join(home.dir, "state", "gantry.db");
    for (let count = first; count <= layout.length; count++)
      (await openFile(store, layout.slice(0, count))).close();
    const used = createStore(store);
    await used.store.memory.remember("u", "tea");
    await used.close();
    const file = path.join(home.dir, "all.backup");
    expect((await gantry(["backup", file], { dir: home.dir })).code).toBe(0);
    const whole = await gantry(["restore", file, "--yes"], { dir: home.dir });
    expect(whole).toMatchObject({ code: 0, err: "" });
    for (let count = first; count < layout.length; count++) {
      const back = ["restore", "--layout", String(count), "--yes"];
      expect(await gantry(back, { dir: home.dir })).toMatchObject({ code: 0, err: "" });
    }
  }
}, 120_000);

test("FLR-37: a table, index, trigger or view of any other name is refused", async () => {
  const kinds: readonly ((name: string) => string)[] = [
    (name) => `CREATE TABLE ${name} (a)`,
    (name) => `CREATE INDEX ${name} ON memory (text)`,
    (name) => `CREATE VIEW ${name} AS SELECT 1`,
    (name) => `CREATE TRIGGER ${name} AFTER INSERT ON memory BEGIN SELECT 1; END`,
  ];
  const texts = fc.string({ minLength: 1, maxLength: 9 });
  const names = texts.filter((name) => !/\0|^sqlite_/i.test(name));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), names, async (create, name) => {
      const db = new DatabaseSync(":memory:");
      try {
        for (const step of [...layout, backupTables]) db.exec(step);
        db.exec(`PRAGMA user_version = ${layout.length}`);
        expect(await layoutOf(db, "f", backupTables)).toBe(layout.length);
        db.exec(create(`"${name.replaceAll('"', '""')}"`));
        const found = await layoutOf(db, "f", backupTables).catch((error: unknown) => error);
        expect(found).toMatchObject({ code: "BACKUP_FOREIGN" });
      } finally {
        db.close();
      }
    }),
    { numRuns: 100 },
  );
});
