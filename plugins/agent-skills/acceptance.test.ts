import { readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, asyncProperty, integer, nat } from "fast-check";
import { expect, test } from "vitest";
import { accept, changes, place, start, useHome, write } from "./skills.test-kit.ts";

useHome();

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
