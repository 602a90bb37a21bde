import path from "node:path";
import { Agents, definePlugin } from "@gantry/sdk";
import { checkPlugin } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { Acceptances } from "./acceptances.ts";
import { readSkillFolder } from "./folder-bytes.ts";
import plugin from "./index.ts";
import { accept, homeSkills, place, start, useHome, work, write } from "./skills.test-kit.ts";

useHome();

test("AGT-13: a skill is not shown to the model until its owner has accepted it, and then by its name and description alone", async () => {
  await write(place(), "rhyme");
  await using t = await start();
  await t.ask("hi");
  expect(t.system()).not.toContain("rhyme");
  expect(t.model.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain("skill");
  await expect(t.run("accept", ["rhyme"])).rejects.toMatchObject({ code: "SKILL_UNDECIDED" });
  expect(await t.run("accept", ["rhyme"], accept)).toBe(0);
  await t.ask("hi", { session: "new" });
  expect(t.system()).toContain("- rhyme: How to rhyme.");
  expect(t.system()).not.toContain("Say it in rhymes.");
  expect(t.model.requests.at(-1)?.tools.map(({ name }) => name)).toContain("skill");
});

test("AGT-13: skills of the workspace, the configuration's folder and the home are found, the nearest first", async () => {
  await using t = await start();
  await write(path.join(t.runtime.configDir, "skills"), "second");
  await write(homeSkills(), "third");
  await write(place(), "first");
  await write(homeSkills(), "first");
  await t.run("list", [], { json: true });
  const rows = JSON.parse(t.text()) as readonly { name: string; state: string; folder: string }[];
  expect(rows.map(({ name }) => name)).toEqual(["first", "second", "first", "third"]);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["not accepted"]));
  expect(rows[0]?.folder).toBe(path.join(place(), "first"));
});

test("AGT-13: the tool gives the instructions and files of an accepted skill, and refuses any other", async () => {
  await write(place(), "rhyme");
  await write(place(), "other");
  await using t = await start();
  await t.run("accept", ["rhyme"], accept);
  const { text } = await t.call("skill", { name: "rhyme" });
  expect(text).toContain("Say it in rhymes.");
  expect(text).toContain("scripts/run.sh");
  expect((await t.call("skill", { name: "rhyme", file: "notes.txt" })).text).toBe("Some notes.");
  expect((await t.call("skill", {})).text).toBe("rhyme: How to rhyme.");
  expect(await t.call("skill", { name: "other" })).toMatchObject({ code: "SKILL_NOT_ACCEPTED" });
  expect(await t.call("skill", { name: "none" })).toMatchObject({ code: "SKILL_UNKNOWN" });
  for (const file of ["../other/SKILL.md", "link", "scripts"])
    expect(await t.call("skill", { name: "rhyme", file })).toMatchObject({ code: "SKILL_NO_FILE" });
});

test("AGT-13: /NAME and /skill NAME begin a task with the instructions, in a chat and at the terminal", async () => {
  await write(place(), "rhyme");
  await using t = await start(["One.", "Two."]);
  await t.run("accept", ["rhyme"], accept);
  await t.serve();
  await t.channel.receive({ text: "/rhyme about cats" });
  await t.channel.sentCount(1);
  expect(t.said()).toContain("Say it in rhymes.");
  expect(t.said()).toContain("about cats");
  expect((await t.ask("/skill rhyme about dogs")).reply).toBe("Two.");
  expect(t.said()).toContain("about dogs");
  expect((await t.ask("/skill")).reply).toBe("/rhyme: How to rhyme.");
  expect((await t.ask("/unknown")).reply).toContain("There is no command /unknown");
});

test("AGT-13: /NAME and /skill know the skills of the agent's own folder, and none of another folder", async () => {
  const shop = { name: "shop", workspace: "shop" };
  const agents = definePlugin({
    name: "one-agent",
    provides: [Agents],
    setup: (host) => void host.provide(Agents, { list: () => [shop], of: () => shop }),
  });
  await using t = await start(["Sold."], {}, [agents]);
  for (const [folder, name] of Object.entries({ shop: "sell", desk: "file" })) {
    const workspace = path.join(work(), folder);
    const at = await write(path.join(workspace, ".agents", "skills"), name);
    const { hash } = await readSkillFolder(at, () => false);
    const facts = { hash, description: `How to ${name}.`, allowedTools: undefined, at: 0 };
    const skill = { name, folder: at, workspace };
    await new Acceptances(() => t.store).accept(skill, facts, "");
  }
  expect((await t.ask("/skill")).reply).toBe("/sell: How to sell.");
  expect((await t.ask("/sell a cat")).reply).toBe("Sold.");
  expect((await t.ask("/file it")).reply).toContain("There is no command /file");
});

test("AGT-13: the model is told that $NAME in a message names a skill", async () => {
  await write(place(), "rhyme");
  await using t = await start();
  await t.run("accept", ["rhyme"], accept);
  await t.ask("tell me of cats, $rhyme");
  expect(t.system()).toContain("whenever a message names it as $NAME");
});

test("AGT-13: a skill of a folder that is not the owner's is material, also after it was accepted", async () => {
  await write(path.join(work(), "opened", ".agents", "skills"), "rhyme");
  const brought: unknown[] = [];
  const guard = definePlugin({
    name: "guard-notes",
    taps: ["beforeToolCall"],
    setup: (host) => void host.hooks.beforeToolCall.tap(({ effects }) => void brought.push(effects.brings)),
  });
  const call = { calls: [{ name: "skill", args: { name: "rhyme" } }] };
  const opened = path.join(work(), "opened");
  for (const trusted_instructions of [[], [opened]]) {
    const agent = { trusted_instructions };
    await using t = await start([call, "done"], { agent }, [guard]);
    const at = path.join(opened, ".agents", "skills", "rhyme");
    const { hash } = await readSkillFolder(at, () => false);
    const facts = { hash, description: "d", allowedTools: undefined, at: 0 };
    const skill = { name: "rhyme", folder: at, workspace: opened };
    await new Acceptances(() => t.store).accept(skill, facts, "");
    await t.ask("go", { workspace: "opened" });
    expect(t.said()).toContain("Say it in rhymes.");
  }
  expect(brought).toEqual([
    { material: [`skill rhyme of ${opened}`], private: [] },
    { material: [], private: [] },
  ]);
});

test("AGT-13: a hundred skills take 2,560 characters of the prompt at most, and the cut is said", async () => {
  for (let i = 0; i < 100; i += 1) await write(place(), `skill-number-${i}`);
  await using t = await start();
  for (let i = 0; i < 100; i += 1) await t.run("accept", [`skill-number-${i}`], accept);
  await t.ask("hi");
  const list = t.system().slice(t.system().indexOf("Skills are instructions"));
  expect(list.indexOf("lists all of them whole")).toBeGreaterThan(0);
  expect(list.indexOf("lists all of them whole")).toBeLessThan(2_560);
  const first = t.system();
  await t.ask("again");
  expect(t.system()).toBe(first);
});

test("AGT-13: skills.list_characters bounds the list", async () => {
  for (let i = 0; i < 60; i += 1) await write(place(), `skill-number-${i}`);
  await using t = await start(["ok"], { skills: { list_characters: 600 } });
  for (let i = 0; i < 60; i += 1) await t.run("accept", [`skill-number-${i}`], accept);
  await t.ask("hi");
  const list = t.system().slice(t.system().indexOf("Skills are instructions"));
  expect(list.indexOf("lists all of them whole")).toBeGreaterThan(0);
  expect(list.indexOf("lists all of them whole")).toBeLessThan(600);
});

test("SDK-05: skills keep the contract of plugins", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
