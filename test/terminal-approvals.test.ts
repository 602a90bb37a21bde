import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

function configOf({ provider }: ModelServer): string {
  return `default_provider = "${provider}"\ndefault_model = "m"\n[providers.custom]\nmax_retries = 0\n`;
}

const shell = (command: string) => ({ calls: [{ name: "shell", args: { command } }] });
const asks = /Allow this once\? \[y\/N\] $/;

test("TTY-09: an edit is asked about as a diff, in green and red, and `y` allows it", async () => {
  const edit = { name: "file_edit", args: { path: "a.txt", old: "one", new: "two" } };
  await using model = await startModel({ calls: [edit] }, "Done.");
  using home = tempDir(configOf(model));
  const file = path.join(home.dir, "workspace/a.txt");
  mkdirSync(path.dirname(file));
  writeFileSync(file, "zero\none\n");
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  expect(await person.until(asks)).toMatch(/\| -one\r\n {2}\| \+two\r\n/);
  expect(person.bytes()).toContain("\u001b[31m-one\u001b[39m");
  expect(person.bytes()).toContain("\u001b[32m+two\u001b[39m");
  person.type("y\r");
  await person.until(/Done\./);
  expect(readFileSync(file, "utf8")).toBe("zero\ntwo\n");
});

test("TTY-09: `t` allows what the rule shown covers for the rest of the conversation", async () => {
  const touch = shell("echo one > one.txt");
  await using model = await startModel(touch, "First.", touch, "Second.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("first\r");
  expect(await person.until(asks)).toContain(
    "t allows it for this conversation: shell this very command line.",
  );
  person.type("t\r");
  await person.until(/First\.[^]*> $/);
  person.type("second\r");
  expect(await person.until(/Second\.[^]*> $/)).not.toContain("Allow this once?");
});

test("TTY-09: `e` asks why not, and the model hears the reason", async () => {
  await using model = await startModel(shell("npm test > out"), "I see.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  expect(await person.until(asks)).toContain("e says why not.");
  person.type("e\r");
  await person.until(/Why not\? $/);
  person.type("We use pnpm here.\r");
  await person.until(/I see\./);
  const heard = JSON.stringify(model.requests[1]?.messages.at(-1));
  expect(heard).toContain("was not approved by the person who was asked, who says: We use pnpm here.");
});

test("TTY-09: `n`, and `e` without a reason, are a no without one", async () => {
  await using model = await startModel(shell("a > b"), "First.", shell("c > d"), "Second.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  await person.until(asks);
  person.type("n\r");
  await person.until(/First\.[^]*> $/);
  person.type("go\r");
  await person.until(asks);
  person.type("e\r");
  await person.until(/Why not\? $/);
  person.type("\r");
  await person.until(/Second\./);
  for (const at of [1, 3])
    expect(JSON.stringify(model.requests[at]?.messages.at(-1))).toContain("by the person who was asked.");
});
