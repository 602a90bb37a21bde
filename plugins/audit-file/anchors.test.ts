import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry, said, startGantry, tempDir, type Ended } from "../../test/helpers/cli.ts";

const toml = 'default_provider = "demo"\n[gateway]\nport = 0\n[alerts]\nevery_seconds = 1\n';

async function run(dir: string, ...args: readonly string[]): Promise<Ended> {
  return gantry(args, { dir });
}

/** Has records written, one each, by words of the command line. */
async function record(dir: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    expect((await run(dir, "config", "set", "default_temperature", `0.${n + 1}`)).code).toBe(0);
}

/** Serves until its log says what is waited for. */
async function serveUntil(dir: string, pattern: RegExp): Promise<string> {
  const { child, ended } = startGantry(["daemon"], { dir });
  await said(child, "stderr", pattern).finally(() => child.kill("SIGTERM"));
  return (await ended).err;
}

function filesOf(dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => name.includes("audit"));
}

/** Removes the log and whatever stands beside it. */
function removeLog(dir: string): void {
  for (const name of filesOf(dir)) rmSync(path.join(dir, name), { recursive: true });
}

const tampered: readonly (readonly [string, (dir: string) => Promise<void>, RegExp])[] = [
  ["removed whole", async (dir) => removeLog(dir), /ends at record 0, .* noted record 4/],
  [
    "cut, its head too",
    async (dir) => {
      const log = path.join(dir, "audit.jsonl");
      const [first = ""] = readFileSync(log, "utf8").split("\n");
      removeLog(dir);
      writeFileSync(log, `${first}\n`, { mode: 0o600 });
      await record(dir, 1);
    },
    /ends at record 2, .* noted record 4/,
  ],
  [
    "replaced by a longer one",
    async (dir) => {
      removeLog(dir);
      await record(dir, 6);
    },
    /record 4 is another one than the store has noted/,
  ],
];

test.each(tampered)(
  "SCL-04: a log that was %s is told by verify, doctor and an alert until the owner says why",
  async (_, tamper, what) => {
    using home = tempDir(toml);
    await record(home.dir, 4);
    await serveUntil(home.dir, /Gantry is ready/);
    expect((await run(home.dir, "audit", "verify")).code).toBe(0);
    await tamper(home.dir);
    for (let twice = 0; twice < 2; twice += 1) {
      const told = await run(home.dir, "audit", "verify");
      expect(told).toMatchObject({ code: 1, err: expect.stringMatching(what) as string });
      expect((await run(home.dir, "doctor")).out).toMatch(what);
      // Nothing that a service notes as it ends takes the trouble away.
      await serveUntil(home.dir, new RegExp(`Alert: audit: .*${what.source}`));
    }
    expect(await run(home.dir, "audit", "acknowledge", "a new disk")).toMatchObject({ code: 0 });
    expect(await run(home.dir, "audit", "verify")).toMatchObject({ code: 0, err: "" });
    await serveUntil(home.dir, /Gantry is ready/);
    expect(existsSync(path.join(home.dir, "audit.jsonl"))).toBe(true);
    expect((await run(home.dir, "audit", "verify")).code).toBe(0);
  },
);

test("SCL-04: the store notes what a service wrote as it ends, and no word of the command line", async () => {
  using home = tempDir(toml);
  await record(home.dir, 2);
  removeLog(home.dir);
  expect((await run(home.dir, "audit", "verify")).code).toBe(0);
  await record(home.dir, 2);
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  await record(home.dir, 2);
  child.kill("SIGTERM");
  await ended;
  removeLog(home.dir);
  expect(await run(home.dir, "audit", "verify")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/noted record [4-9]/) as string,
  });
});
