import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

function configOf({ provider }: ModelServer, more = ""): string {
  return `default_provider = "${provider}"\ndefault_model = "m"\n${more}\n[providers.custom]\nmax_retries = 0\n`;
}

const shell = (command: string) => ({ calls: [{ name: "shell", args: { command } }] });
const asks = /Allow this once\? \[y\/N\] $/;
const starred = `import { defineTool, definePlugin, Tools } from "@gantry/sdk";
export default definePlugin({
  name: "tool-star",
  provides: [Tools],
  setup(host) {
    const input = { type: "object", properties: {} };
    const description = "Finds *every* **file_of_it**.";
    host.provide(Tools, defineTool({ name: "star", description, input, run: async () => "" }));
  },
});
`;

test("TTY-09: an unclear word at an approval is asked about again, and a yes after it counts", async () => {
  await using model = await startModel(shell("echo one > one.txt"), "Done.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  await person.until(asks);
  person.type("ys\r");
  expect(await person.until(/Answer y or n[^]*Allow this once\? \[y\/N\] $/)).toContain("Enter is a no.");
  person.type("y\r");
  await person.until(/Done\./);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).not.toContain("not approved");
});

test("TTY-09: the third unclear word at an approval is a no", async () => {
  await using model = await startModel(shell("echo one > one.txt"), "I see.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  for (const word of ["perhaps", "hm", "what?"]) {
    await person.until(asks);
    person.type(`${word}\r`);
  }
  await person.until(/I see\./);
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("was not approved");
});

test("TTY-02: a line that begins with a folder of the machine is a message, and a misspelt word is told", async () => {
  await using model = await startModel("Yes, it is full.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("/hlep\r");
  expect(await person.until(/message with a slash\.[^]*> $/)).toContain("There is no command /hlep for you.");
  person.type("/tmp is full?\r");
  await person.until(/Yes, it is full\./);
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("/tmp is full?");
});

test("TTY-02: what a chat command tells stands in the terminal character by character", async () => {
  await using model = await startModel();
  using home = tempDir("");
  writeFileSync(path.join(home.dir, "star.js"), starred);
  writeFileSync(home.file, configOf(model, `extra_plugins = ["./star.js"]`));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("/tools\r");
  expect(await person.until(/star - [^]*> $/)).toContain("star - Finds *every* **file_of_it**.");
});
