import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gantry, root, said, startGantry, tempDir } from "./helpers/cli.ts";
import { nextRelease } from "./helpers/next-release.ts";
import { packed } from "./helpers/package.ts";

const { dir: folder, ...made } = tempDir();
let newer = "";

/** The release that is built, with one more step of the store's layout. */
beforeAll(() => {
  const last = "`ALTER TABLE inbox ADD COLUMN files TEXT`";
  const file = nextRelease(packed(), folder, "0.2.0", (release) => {
    const parts = readdirSync(release).map((name) => path.join(release, name));
    for (const part of parts.filter((name) => name.endsWith(".js"))) {
      const code = readFileSync(part, "utf8");
      const next = code.replace(last, `${last},\`CREATE TABLE newer (n INTEGER)\``);
      if (next !== code) writeFileSync(part, next);
    }
  });
  execFileSync("tar", ["-xzf", file, "-C", folder]);
  newer = path.join(folder, "package/dist/package/gantry.js");
}, 240_000);

afterAll(() => made[Symbol.dispose]());

test("FLR-13: restore --layout goes back after a crash with all that was there", async () => {
  using home = tempDir(
    'default_provider = "demo"\n[gateway]\nport = 0\n[agent]\nautonomy_level = "autonomous"\n',
  );
  const { dir } = home;
  const state = path.join(dir, "state");
  const remember = (what: string, bin?: string): Promise<unknown> =>
    gantry(["agent", "-m", `Remember that I like ${what}`], { dir, ...(bin && { bin }) });
  await remember("tea");
  const { child, ended } = startGantry(["daemon"], { dir, bin: newer });
  await said(child, "stderr", /Gantry is ready/);
  await remember("coffee", newer);
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await Promise.all([exit, ended]);
  expect(statSync(path.join(state, "gantry.db-wal")).size).toBeGreaterThan(0);
  const [layout = ""] = readdirSync(state).flatMap(
    (name) => /^gantry\.db\.layout(\d+)$/.exec(name)?.[1] ?? [],
  );

  const back = await gantry(["restore", "--layout", layout, "--yes"], { dir });
  expect(back).toMatchObject({ code: 0, err: "" });
  expect(back.out).toContain("goes out of use: 1 conversation, 1 memory, 0 messages");
  const older = await gantry(["memory", "list"], { dir });
  expect([older.out.includes("tea"), older.out.includes("coffee")]).toEqual([true, false]);
  const again = startGantry(["daemon"], { dir });
  await said(again.child, "stderr", /Gantry is ready/);
  again.child.kill("SIGTERM");
  expect((await again.ended).code).toBe(0);
  expect((await gantry(["doctor"], { dir })).out).toMatch(/✔ store file +.* is whole/);

  const aside = readdirSync(dir).find((name) => name.startsWith("before-restore-")) ?? "";
  for (const name of ["gantry.db-wal", "gantry.db-shm"])
    expect(readdirSync(path.join(dir, aside, "state"))).toContain(name);
  const folder = path.join(dir, aside);
  const word = `\`gantry restore ${folder} --yes\` brings that store back, with the release of layout`;
  expect(back.out).toContain(`what was there is in ${folder}: ${word} ${Number(layout) + 1}\n`);
  expect((await gantry(["restore", folder, "--yes"], { dir })).err).toContain("[STORE_NEWER]");
  expect((await gantry(["restore", folder, "--yes"], { dir, bin: newer })).code).toBe(0);
  const forward = await gantry(["memory", "list"], { dir, bin: newer });
  expect([forward.out.includes("tea"), forward.out.includes("coffee")]).toEqual([true, true]);
}, 120_000);

test("FLR-13: the documented way back restores with the newer release, and then the earlier one starts", async () => {
  const readme = readFileSync(path.join(root, "plugins/service-upgrade/README.md"), "utf8").replace(
    /\s+/g,
    " ",
  );
  const steps = /To go back .*?stop the service\..*?(?=`gantry upgrade --check`)/.exec(readme)?.[0] ?? "";
  expect(steps).toMatch(/run `gantry restore --layout N`.*Then install the earlier release/);

  using home = tempDir('default_provider = "demo"\n[gateway]\nport = 0\n');
  const { dir } = home;
  await gantry(["agent", "-m", "hello"], { dir });
  const { child, ended } = startGantry(["daemon"], { dir, bin: newer });
  await said(child, "stderr", /Gantry is ready/);
  child.kill("SIGKILL");
  await ended;
  const moved = layoutIn(dir);
  const which = await gantry(["restore"], { dir, bin: newer });
  expect(which.err).toContain(`(layouts kept here: ${moved - 1})`);
  const back = await gantry(["restore", "--layout", `${moved - 1}`, "--yes"], { dir, bin: newer });
  expect([back.code, layoutIn(dir)]).toEqual([0, moved - 1]);
  expect(await gantry(["agent", "-m", "hello"], { dir })).toMatchObject({ code: 0, err: "" });
}, 120_000);

function layoutIn(dir: string): number {
  const db = new DatabaseSync(path.join(dir, "state", "gantry.db"), { readOnly: true });
  const { user_version: layout } = db.prepare("PRAGMA user_version").get() as Record<string, number>;
  db.close();
  return layout ?? 0;
}

test("FLR-13: no word of a newer release moves the store of a running service", async () => {
  using home = tempDir('default_provider = "demo"\n[gateway]\nport = 0\n');
  const { dir } = home;
  const { child, ended } = startGantry(["daemon"], { dir });
  await said(child, "stderr", /Gantry is ready/);
  const layout = layoutIn(dir);
  try {
    const held =
      `has layout ${layout}, and a running service of an earlier release uses it ` +
      `(process ${child.pid}): restart the service with this release first, or stop it.`;
    for (const words of [
      ["sessions", "list"],
      ["memory", "list"],
      ["agent", "-m", "hello"],
    ]) {
      const { code, err } = await gantry(words, { dir, bin: newer });
      expect([code, err]).toEqual([1, expect.stringContaining(`${held} [STORE_HELD]`)]);
    }
    for (const word of ["status", "doctor"]) {
      const { out } = await gantry([word], { dir, bin: newer });
      expect(out.split(held).length).toBe(2);
      expect(out).toMatch(/^✘ store .* has layout .*\n(?! *→)/m);
      expect(out).toMatch(/^. provider /m);
      expect(out).not.toContain("at fault");
    }
    expect(layoutIn(dir)).toBe(layout);
    expect(readdirSync(path.join(dir, "state")).join()).not.toContain("gantry.db.layout");
    expect(await gantry(["agent", "-m", "hello"], { dir })).toMatchObject({ code: 0, err: "" });
  } finally {
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  }
  expect((await gantry(["sessions", "list"], { dir, bin: newer })).code).toBe(0);
  expect(layoutIn(dir)).toBe(layout + 1);
}, 120_000);
