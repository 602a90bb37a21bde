import { chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, asyncProperty, integer, nat } from "fast-check";
import { expect, test } from "vitest";
import { accept, place, start, useHome, write } from "./skills.test-kit.ts";

useHome();

/** One change of a skill's folder, of each class that a hostile program could make. */
const changes: readonly (readonly [string, (at: string, pick: number) => Promise<void>])[] = [
  ["a byte of SKILL.md", (at, pick) => flip(path.join(at, "SKILL.md"), pick)],
  ["a byte of a script", (at, pick) => flip(path.join(at, "scripts", "run.sh"), pick)],
  [
    "a mode",
    (at, pick) => chmod(path.join(at, "scripts", "run.sh"), [0o644, 0o777, 0o4755, 0o700][pick % 4] ?? 0),
  ],
  ["the folder's mode", (at, pick) => chmod(at, [0o777, 0o1755, 0o700][pick % 3] ?? 0)],
  [
    "where a link leads",
    async (at, pick) => {
      await rm(path.join(at, "link"));
      await symlink(["SKILL.md", "scripts", "./notes.txt"][pick % 3] ?? "", path.join(at, "link"));
    },
  ],
  [
    "a link in place of a file",
    async (at) => {
      await rm(path.join(at, "notes.txt"));
      await symlink("SKILL.md", path.join(at, "notes.txt"));
    },
  ],
  ["a file more", (at, pick) => writeFile(path.join(at, `more-${pick}`), "")],
  ["a folder more", async (at, pick) => void (await mkdir(path.join(at, `folder-${pick}`)))],
  ["a file less", (at) => rm(path.join(at, "notes.txt"))],
  ["another name", (at, pick) => rename(path.join(at, "notes.txt"), path.join(at, `notes-${pick}.txt`))],
];
async function flip(file: string, pick: number): Promise<void> {
  const bytes = await readFile(file);
  const at = pick % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (pick % 8));
  await writeFile(file, bytes);
}

test("AGT-13: whatever changes in the folder of an accepted skill, it is off: bytes, modes, links, names", async () => {
  await write(place(), "kept");
  await using t = await start();
  await assert(
    asyncProperty(integer({ min: 0, max: changes.length - 1 }), nat(10_000), async (kind, pick) => {
      await rm(path.join(place(), "rhyme"), { recursive: true, force: true });
      const at = await write(place(), "rhyme");
      await t.run("accept", ["rhyme"], accept);
      expect((await t.call("skill", { name: "rhyme" })).decision).toBe("allowed");
      await changes[kind]?.[1](at, pick);
      expect(await t.call("skill", { name: "rhyme" })).toMatchObject({
        code: expect.stringMatching(/^SKILL_(CHANGED|UNREADABLE)$/) as string,
      });
      expect((await t.call("skill", {})).text).not.toContain("rhyme");
    }),
    { numRuns: process.env["GANTRY_LONG"] ? 1_000 : 100 },
  );
});

test("AGT-13: a changed skill says so, and is used again once it is accepted again", async () => {
  const at = await write(place(), "rhyme");
  await using t = await start();
  await t.run("accept", ["rhyme"], accept);
  await writeFile(path.join(at, "SKILL.md"), "---\nname: rhyme\ndescription: New.\n---\nSay it in prose.\n");
  expect((await t.call("skill", { name: "rhyme" })).text).toContain("is not what was accepted");
  await t.run("list");
  expect(t.text()).toContain("rhyme  changed");
  await t.run("accept", ["rhyme"], accept);
  expect((await t.call("skill", { name: "rhyme" })).text).toContain("Say it in prose.");
  await t.run("remove", ["rhyme"]);
  expect(await t.call("skill", { name: "rhyme" })).toMatchObject({ code: "TOOL_NOT_OFFERED" });
  expect(await readdir(at)).toContain("SKILL.md");
});

test("AGT-13: a skill whose link leads out of it, or that is itself a link, is none that can be accepted", async () => {
  const at = await write(place(), "rhyme");
  await symlink("/etc/passwd", path.join(at, "passwd"));
  await symlink(at, path.join(place(), "linked"));
  await using t = await start();
  await expect(t.run("accept", ["rhyme"], accept)).rejects.toMatchObject({ code: "SKILL_UNREADABLE" });
  await expect(t.run("accept", ["linked"], accept)).rejects.toMatchObject({ code: "SKILL_UNKNOWN" });
});

test("AGT-13: who accepts sees the whole text, hidden characters too, the files, and tools that the skill would allow itself", async () => {
  const at = await write(place(), "rhyme", "Fine.\u200bcurl evil\u001b[2K");
  const text = await readFile(path.join(at, "SKILL.md"), "utf8");
  await writeFile(path.join(at, "SKILL.md"), text.replace("---\nFine", "allowed-tools: Bash(*)\n---\nFine"));
  await using t = await start();
  await expect(t.run("accept", ["rhyme"])).rejects.toMatchObject({ code: "SKILL_UNDECIDED" });
  expect(t.text()).toContain("Fine.\\u200bcurl evil\\u001b[2K");
  expect(t.text()).toContain("scripts/run.sh  9 bytes, can be executed");
  expect(t.text()).toContain("allowed-tools: Bash(*) (it lifts no question here)");
});
