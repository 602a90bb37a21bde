import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bin, environment, gantry } from "../../test/helpers/cli.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { layout } from "./layout.ts";
import { openFile } from "./open.ts";
import { createStore } from "./store.ts";

const toml = 'default_provider = "demo"\n';
const known = layout.length;

function storeIn(dir: string): string {
  return path.join(dir, "state", "gantry.db");
}

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.runIf(canMount)(
  "FLR-13: restore --layout on a read-only disk names the place and the cure",
  async () => {
    using home = tempDir(toml);
    for (const count of [known - 1, known])
      (await openFile(storeIn(home.dir), layout.slice(0, count))).close();
    const state = path.dirname(storeIn(home.dir));
    const script =
      `cp -a '${state}' '${state}.copy' && mount -t tmpfs none '${state}' && ` +
      `cp -a '${state}.copy/.' '${state}' && mount -o remount,ro '${state}' && exec "$0" "$@"`;
    const words = [bin, "restore", "--layout", String(known - 1), "--yes"];
    const { stderr, status } = spawnSync("unshare", ["-m", "sh", "-c", script, process.execPath, ...words], {
      env: environment({ dir: home.dir }),
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/put back in .*state \(EROFS\): .*make it writable.*RESTORE_UNWRITABLE/),
    ]);
    expect(readdirSync(home.dir).filter((name) => name.startsWith("before-"))).toEqual([]);
  },
);

/** Makes a folder as a restore leaves it after a crash: what is newest lies in the log alone. */
async function movedAside(dir: string): Promise<string> {
  const folder = path.join(dir, "before-restore-2026");
  const live = path.join(dir, "live");
  const { store, close } = createStore(storeIn(live));
  for (const id of ["a", "b"])
    await store.sessions.append(id, [{ role: "user", parts: [{ type: "text", text: id }] }]);
  cpSync(live, folder, { recursive: true });
  await close();
  expect(statSync(`${storeIn(folder)}-wal`).size).toBeGreaterThan(0);
  return folder;
}

test("FLR-13: restore of a folder brings back its store with the log beside it", async () => {
  using home = tempDir(toml);
  const { dir } = home;
  const folder = await movedAside(dir);
  (await openFile(storeIn(dir))).close();
  for (const [more, code] of [["--dry-run", 0] as const, [undefined, 3] as const]) {
    const told = await gantry(["restore", folder, ...(more ? [more] : [])], { dir });
    expect(told.code).toBe(code);
    expect(told.out).toContain(`aside by a restore, in layout ${known}: 2 conversations, 0 mem`);
    expect(told.out).toContain("What is there now goes out of use: 0 conversations, 0 memories");
  }
  expect(await gantry(["sessions", "list"], { dir })).toMatchObject({ code: 0, out: "" });
  const { code, out } = await gantry(["restore", folder, "--yes"], { dir });
  expect(code).toBe(0);
  const [, again = ""] = /: `gantry restore (\S+) --yes` brings that store back\n$/.exec(out) ?? [];
  const brought = (await gantry(["sessions", "list"], { dir })).out;
  for (const id of ["a", "b"]) expect(brought).toMatch(new RegExp(`^${id} `, "m"));
  expect((await gantry(["restore", again, "--yes"], { dir })).code).toBe(0);
  expect(await gantry(["sessions", "list"], { dir })).toMatchObject({ code: 0, out: "" });
});

test("FLR-13: restore of a folder takes no schema of another and no folder without a store", async () => {
  using home = tempDir(toml);
  const { dir } = home;
  const folder = await movedAside(dir);
  const sql = await openFile(storeIn(folder));
  sql.script("CREATE VIEW foreign_view AS SELECT 1");
  sql.close();
  for (const [from, why] of [
    [folder, /the view foreign_view.*BACKUP_FOREIGN/],
    [path.join(dir, "live", "state"), /state.gantry\.db cannot .* not there.*BACKUP_UNREADABLE/],
  ] as const) {
    const { code, err } = await gantry(["restore", from, "--yes"], { dir });
    expect([code, err]).toEqual([1, expect.stringMatching(why)]);
  }
  expect(readdirSync(dir).filter((name) => name.startsWith("before-"))).toHaveLength(1);
});

test("FLR-13: the folder of a restore that has not ended is not put back", async () => {
  using home = tempDir(toml);
  const { dir } = home;
  const folder = await movedAside(dir);
  const log = `${storeIn(dir)}-wal`;
  mkdirSync(path.dirname(log));
  renameSync(`${storeIn(folder)}-wal`, log);
  writeFileSync(`${storeIn(dir)}.${path.basename(folder)}.tmp`, "");
  const { code, err } = await gantry(["restore", folder, "--yes"], { dir });
  const again = "run it again if it was stopped, `gantry restore FILE --yes`; ";
  const sentence = `${again}what was there is in the folder ${folder}. [RESTORE_UNFINISHED]`;
  expect([code, err]).toEqual([1, expect.stringContaining(sentence)]);
  expect((await gantry(["sessions", "list"], { dir })).err).toContain(sentence);
  expect(statSync(log).size).toBeGreaterThan(0);
});
