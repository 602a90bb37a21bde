import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

function configOf({ provider }: ModelServer, more = ""): string {
  return `default_provider = "${provider}"\ndefault_model = "m"\n${more}\n[providers.custom]\nmax_retries = 0\ncontext_window = 16000\n`;
}

const shell = (command: string) => ({ calls: [{ name: "shell", args: { command } }] });
const ctrl = (letter: string): string => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 96);

test("AGT-09: a status line behind each answer tells model, share of the window, cost and autonomy", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(configOf(model, "[prices.m]\ninput = 1000\noutput = 1000"));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("hi\r");
  const said = await person.until(/Hello\.[^]*> $/);
  expect(said).toMatch(/\r\nm · \d+ % of 16k · \$0\.\d{4} today · semi-autonomous\r\n> $/);
});

test("AGT-09: terminal.status_line = false leaves the status line out", async () => {
  await using model = await startModel("Hello.");
  using home = tempDir(configOf(model, "[terminal]\nstatus_line = false"));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("hi\r");
  expect(await person.until(/Hello\.[^]*> $/)).not.toContain("semi-autonomous");
});

test.each<{ theme: string; env: Record<string, string>; code: string }>([
  { theme: "dark", env: { COLORFGBG: "0;15" }, code: "\u001b[36mcode\u001b[39m" },
  { theme: "light", env: {}, code: "\u001b[34mcode\u001b[39m" },
  { theme: "auto", env: { COLORFGBG: "0;15" }, code: "\u001b[34mcode\u001b[39m" },
  { theme: "none", env: {}, code: "Some code here" },
])("AGT-09: terminal.theme = $theme chooses the colours that are written", async ({ theme, env, code }) => {
  await using model = await startModel("Some `code` here.");
  using home = tempDir(configOf(model, `[terminal]\ntheme = "${theme}"`));
  await using person = talk(["agent"], { dir: home.dir, env });
  await person.until(/> $/);
  person.type("go\r");
  await person.until(/here\.[^]*> $/);
  expect(person.bytes()).toContain(code);
});

test("AGT-09: Ctrl-O writes the last call and its result whole, and keeps what is half typed", async () => {
  await using model = await startModel(shell("printf 'one\\ntwo\\nthree\\n'"), "Done.", "Read.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent", "--yes"], { dir: home.dir });
  await person.until(/> $/);
  person.type("go\r");
  expect(await person.until(/Done\.[^]*> $/)).not.toContain("three\r");
  person.type("half");
  await person.until(/half/);
  person.type(ctrl("o"));
  const shown = await person.until(/exit code 0[^]*> half$/);
  expect(shown).toMatch(/shell\r\n {2}command: printf[^\r]*\r\n {2}\r\n {2}one\r\n {2}two\r\n {2}three\r\n/);
  person.type(" done\r");
  await person.until(/Read\.[^]*> $/);
  expect(model.requests[2]?.messages.at(-1)?.content).toBe("half done");
});

test("AGT-09: Ctrl-R finds older lines that hold what is typed, one after the other", async () => {
  await using model = await startModel("Read.");
  using home = tempDir(configOf(model));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  for (const line of ["build the blue one", "look around", "Build the red one"]) {
    person.type(`${line}\r`);
    await person.until(/Read\.[^]*> $/);
  }
  person.type("build");
  await person.until(/build$/);
  person.type(ctrl("r"));
  await person.until(/Build the red one$/);
  person.type(ctrl("r"));
  await person.until(/build the blue one$/);
  person.type("\r");
  await person.until(/Read\.[^]*> $/);
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe("build the blue one");
});

test("AGT-09: --resume and /resume list earlier conversations with what was said, and go on with the one picked", async () => {
  await using model = await startModel("Read.");
  using home = tempDir(configOf(model));
  for (const line of ["Water the plants", "Feed the cat"]) {
    await using person = talk(["agent"], { dir: home.dir });
    await person.until(/> $/);
    person.type(`${line}\r`);
    await person.until(/Read\.[^]*> $/);
    person.type("/exit\r");
    await person.ended;
  }
  await using person = talk(["agent", "--resume"], { dir: home.dir });
  const listed = await person.until(/Which one\? $/);
  expect(listed).toMatch(
    /1 {2}[-\d]+ [:\d]+ {2}Feed the cat \(1 turn\)\r\n2 .* Water the plants \(1 turn\)\r\n/,
  );
  person.type("2\r");
  await person.until(/> $/);
  person.type("and now?\r");
  await person.until(/Read\.[^]*> $/);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Water the plants");
  person.type("/resume\r");
  expect(await person.until(/Which one\? $/)).toContain("1  ");
  person.type("1\r");
  await person.until(/goes on\.[^]*> $/);
  person.type("more\r");
  await person.until(/Read\.[^]*> $/);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Feed the cat");
});

test.each(["'%s'", "%s", "file://%s"])(
  "AGT-09: the path of a picture that is pasted as %s goes as a picture",
  async (form) => {
    await using model = await startModel("A cat.");
    using home = tempDir(configOf(model));
    const folder = path.join(home.dir, "shots");
    mkdirSync(folder);
    const file = path.join(folder, "cat.png");
    writeFileSync(
      file,
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    );
    await using person = talk(["agent"], { dir: home.dir });
    await person.until(/> $/);
    person.type(`look: \u001b[200~${form.replace("%s", file)}\u001b[201~`);
    await person.until(/look: \[picture 1, cat\.png\]$/);
    person.type("\r");
    await person.until(/A cat\.[^]*> $/);
    const sent = JSON.stringify(model.requests[0]?.messages.at(-1));
    expect(sent).toContain("data:image/png;base64,iVBORw0");
  },
);
