import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { createStore } from "../store-sqlite/store.ts";

const passphrase = "a passphrase of tests";
const canary = "CANARY-7d1f0c";
const whole = /^gantry-[\dTZ-]+\.backup$/;
const env = { BACKUP_PASSPHRASE: passphrase };

function tomlFor(folder: string, more = ""): string {
  return [
    `default_provider = "demo"\napi_key = "${canary}"\n[gateway]\nport = 0`,
    `[backup]\nfolder = "${folder}"\nevery = "1d"\npassphrase = "\${BACKUP_PASSPHRASE}"\n${more}`,
  ].join("\n");
}

/** An installation with one conversation, and a folder for its backups. */
function installation(more = "") {
  const folder = tempDir();
  const home = tempDir(tomlFor(folder.dir, more));
  return {
    home,
    folder: folder.dir,
    made: () => readdirSync(folder.dir).filter((name) => whole.test(name)),
    [Symbol.dispose]() {
      home[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function keep(dir: string, text: string): Promise<void> {
  const { store, close } = createStore(path.join(dir, "state", "gantry.db"));
  await store.sessions.append("s1", [{ role: "user", parts: [{ type: "text", text }] }]);
  await close();
}

/** Serves until its log says what is waited for; returns what it said. */
async function serveUntil(dir: string, pattern: RegExp): Promise<string> {
  const { child, ended } = startGantry(["daemon"], { dir, env });
  try {
    await said(child, "stderr", pattern);
  } finally {
    child.kill("SIGTERM");
  }
  return (await ended).err;
}

test("OPS-03: a service that starts makes the backup that is due, and restore puts it back", async () => {
  using it = installation();
  await keep(it.home.dir, canary);
  await serveUntil(it.home.dir, /A backup was made/);
  const [name = ""] = it.made();
  const file = path.join(it.folder, name);
  expect(readdirSync(it.folder)).toEqual([name]);
  expect(readdirSync(path.join(it.home.dir, "state")).filter((one) => one.includes("backup"))).toEqual([]);

  using other = tempDir('default_provider = "demo"\n');
  const run = { dir: other.dir, env };
  expect(await gantry(["restore", file, "--yes"], run)).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(other.file, "utf8")).toBe(readFileSync(it.home.file, "utf8"));
  const { store, close } = createStore(path.join(other.dir, "state", "gantry.db"));
  expect(await store.sessions.list(9)).toMatchObject([{ id: "s1", turns: 1 }]);
  await close();
  expect(readdirSync(path.join(other.dir, "state")).filter((one) => one.startsWith("unsealed"))).toEqual([]);
});

test("OPS-03: nothing of the store or the configuration is in the clear in an encrypted backup", async () => {
  using it = installation();
  await keep(it.home.dir, canary);
  await serveUntil(it.home.dir, /A backup was made/);
  const bytes = readFileSync(path.join(it.folder, it.made()[0] ?? ""));
  for (const secret of [canary, passphrase, "SQLite format", "config.toml"])
    expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
  const open = path.join(it.folder, "open");
  expect((await gantry(["backup", open], { dir: it.home.dir, env })).code).toBe(0);
  expect(readFileSync(open).includes(canary)).toBe(true);
});

test("OPS-03: restore says of an encrypted backup what it lacks, and changes nothing", async () => {
  using it = installation();
  await serveUntil(it.home.dir, /A backup was made/);
  const file = path.join(it.folder, it.made()[0] ?? "");
  const good = readFileSync(file);
  const flipped = Buffer.from(good);
  flipped.writeUInt8(flipped.readUInt8(5_000) ^ 1, 5_000);
  using other = tempDir('default_provider = "demo"\n');
  const refused: readonly (readonly [Buffer, Record<string, string>, RegExp])[] = [
    [good, {}, /is encrypted, and no passphrase is given: set BACKUP_PASSPHRASE.*BACKUP_LOCKED/s],
    [good, { BACKUP_PASSPHRASE: "another passphrase" }, /passphrase given is another one.*BACKUP_LOCKED/s],
    [good.subarray(0, 9_000), env, /it was cut.*BACKUP_UNREADABLE/s],
    [flipped, env, /not as they were written.*BACKUP_UNREADABLE/s],
  ];
  for (const [bytes, given, why] of refused) {
    writeFileSync(file, bytes);
    const ended = await gantry(["restore", file, "--yes"], { dir: other.dir, env: given });
    expect(ended).toMatchObject({ code: 1, err: expect.stringMatching(why) as string });
  }
  expect(readdirSync(other.dir).filter((name) => name.startsWith("before"))).toEqual([]);
});

test("OPS-03: with a passphrase set, a plain file in place of a backup is refused", async () => {
  using it = installation();
  const file = path.join(it.folder, "open");
  expect((await gantry(["backup", file], { dir: it.home.dir, env })).code).toBe(0);
  const restore = ["restore", file, "--yes"];
  expect(await gantry(restore, { dir: it.home.dir, env })).toMatchObject({
    code: 3,
    err: expect.stringContaining("BACKUP_PLAIN") as string,
  });
  expect(readdirSync(it.home.dir).filter((name) => name.startsWith("before"))).toEqual([]);
  const unset = { BACKUP_PASSPHRASE: "" };
  expect(await gantry(restore, { dir: it.home.dir, env: unset })).toMatchObject({ code: 0 });
});

test("OPS-03: the newest backups are kept, and no file that is none of them is touched", async () => {
  using it = installation("keep = 2");
  const names = [10, 11, 12].map((day) => `gantry-2020-01-${day}T00-00-00-000Z.backup`);
  for (const name of [...names, "mine.backup", "gantry-2020.backup"])
    writeFileSync(path.join(it.folder, name), "old");
  await serveUntil(it.home.dir, /A backup was made/);
  const left = readdirSync(it.folder);
  expect(left).toHaveLength(4);
  expect(left).toEqual(expect.arrayContaining([names[2], "mine.backup", "gantry-2020.backup"]));
});

test("OPS-03: backups dated later than now never count, stay, and doctor warns of them", async () => {
  using it = installation("keep = 2");
  const old = "gantry-2020-01-12T00-00-00-000Z.backup";
  const later = [1, 2, 3].map((day) => `gantry-2199-01-0${day}T00-00-00-000Z.backup`);
  for (const name of [old, ...later]) writeFileSync(path.join(it.folder, name), "old");
  await serveUntil(it.home.dir, /A backup was made/);
  const left = it.made();
  expect(left).toHaveLength(5);
  expect(left).toEqual(expect.arrayContaining([old, ...later]));
  const { out } = await gantry(["doctor"], { dir: it.home.dir, env });
  expect(out).toMatch(/the last of 2 in /);
  expect(out).toMatch(/gantry-2199-01-01.* and 2 more .*dated later than now/);
});

test("OPS-03: a backup that fails is an alert and a row of doctor, until one is made", async () => {
  using it = installation();
  const away = path.join(it.folder, "mount");
  writeFileSync(it.home.file, `${tomlFor(away)}[alerts]\nevery_seconds = 1\n`, { mode: 0o600 });
  await serveUntil(it.home.dir, /Alert: backup: .* failed: The folder of backups .*mount.*ENOENT/);
  const doctor = async () => (await gantry(["doctor"], { dir: it.home.dir, env })).out;
  expect(await doctor()).toMatch(/backup.*failed: The folder of backups/s);
  mkdirSync(away);
  await serveUntil(it.home.dir, /A backup was made/);
  const told = await doctor();
  expect(told).toMatch(/the last of 1 in .*mount is of 20/);
  expect(told).not.toContain("failed: The folder");
});

test("OPS-03: a backup whose process is killed in the middle leaves nothing that looks like one", async () => {
  using it = installation();
  const { store, close } = createStore(path.join(it.home.dir, "state", "gantry.db"));
  for (let n = 0; n < 40; n += 1) await store.values.put("s", `k${n}`, String(n % 10).repeat(1_000_000));
  await close();
  for (const at of [it.folder, path.join(it.home.dir, "state")]) {
    const over = new AbortController();
    const begun = once(
      watch(at, { signal: over.signal }).on("error", () => {}),
      "change",
    );
    const { child, ended } = startGantry(["daemon"], { dir: it.home.dir, env });
    if (at === it.folder) await begun;
    else await said(child, "stderr", /Gantry is ready/);
    child.kill("SIGKILL");
    await ended;
    over.abort();
    expect(it.made()).toEqual([]);
  }
  const left = [...readdirSync(it.folder), ...readdirSync(path.join(it.home.dir, "state"))];
  expect(left.filter((name) => name.includes("backup")).every((name) => name.includes(".tmp"))).toBe(true);
  await serveUntil(it.home.dir, /A backup was made/);
  expect(readdirSync(it.folder)).toEqual(it.made());
  expect(readdirSync(path.join(it.home.dir, "state")).filter((name) => name.includes("backup"))).toEqual([]);
});

test("OPS-03: a backup holds no earlier backup, wherever the folder lies", async () => {
  using it = installation();
  const inside = path.join(it.home.dir, "copies");
  mkdirSync(inside);
  writeFileSync(path.join(inside, "gantry-2020-01-10T00-00-00-000Z.backup"), "old");
  const file = path.join(it.folder, "open");
  expect((await gantry(["backup", file], { dir: it.home.dir, env })).code).toBe(0);
  const told = await gantry(["restore", file, "--dry-run"], { dir: tempDir().dir });
  expect(told.out).toContain("config.toml");
  expect(told.out).not.toContain("gantry-2020");
});

test.each([
  ["", "BACKUP_WHEN", "both"],
  ['cron = "30 25 * * *"', "BACKUP_CRON", "cron"],
])("OPS-03: a plan that cannot be kept stops the start: %j is %s", async (line, code) => {
  using it = installation();
  const cron = line === "" ? 'cron = "30 3 * * *"' : line;
  const every = line === "" ? 'every = "1d"' : "";
  const toml = tomlFor(it.folder).replace('every = "1d"', `${cron}\n${every}`);
  writeFileSync(it.home.file, toml, { mode: 0o600 });
  const ended = await gantry(["daemon"], { dir: it.home.dir, env });
  expect(ended).toMatchObject({ code: 2, err: expect.stringContaining(code) as string });
  expect(existsSync(path.join(it.home.dir, "state", "serving.lock"))).toBe(false);
});

test("OPS-03: without its passphrase the service does not start, and doctor says so", async () => {
  using it = installation();
  const ended = await gantry(["daemon"], { dir: it.home.dir });
  expect(ended.code).toBe(2);
  const doctor = await gantry(["doctor"], { dir: it.home.dir });
  expect(doctor.out).toContain("[backup] has no passphrase");
});
