import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startModel } from "../test/helpers/model.ts";
import { talk } from "../test/helpers/pty.ts";
import { screenSvg } from "./screen-svg.ts";

/** The picture on the first page. */
export const pictureFile: string = path.join(import.meta.dirname, "../.github/terminal.svg");

const columns = 106;
/** Stands in the picture in place of the folder that it was made in. */
const home = "/home/ada/.gantry";
const title =
  "A conversation with gantry agent: it reads a file, asks before it changes it, and tests the change.";
const greet = 'name=$1\necho "Hello, $nam!"\n';
const check = 'test "$(sh greet.sh Ada)" = "Hello, Ada!" && echo "1 test, 0 failed"\n';
const answer =
  "The **name** was misspelt, so the greeting had none.\n\n| file | before | now |\n|---|---|---|\n| greet.sh | `$nam` | `$name` |\n\nThe check passes.";

/** Holds a real conversation with a scripted model in a pseudo-terminal, and draws its screen. */
export async function drawPicture(): Promise<string> {
  const dir = mkdtempSync(path.join(tmpdir(), "gantry-picture-"));
  await using model = await startModel(
    { calls: [{ name: "file_read", args: { path: "greet.sh" } }] },
    { calls: [{ name: "file_edit", args: { path: "greet.sh", old: "$nam!", new: "$name!" } }] },
    { calls: [{ name: "shell", args: { command: "sh check.sh" } }] },
    answer,
  );
  try {
    prepare(dir, model.provider);
    await using person = talk(["agent", "--session", "greeting"], { dir, columns });
    await person.until(/> $/);
    person.type("The greeting lacks the name. Fix it and check.\r");
    await person.until(/Allow this once\? \[y\/N\] $/);
    person.type("y\r");
    await person.until(/Allow this once\? \[y\/N\] $/);
    person.type("y\r");
    await person.until(/passes\.[^]*> $/);
    return await screenSvg(person.bytes().replaceAll(dir, home), columns, title);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function prepare(dir: string, provider: string): void {
  const workspace = path.join(dir, "workspace");
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, "greet.sh"), greet);
  writeFileSync(path.join(workspace, "check.sh"), check);
  const keys = [`default_provider = "${provider}"`, 'default_model = "some-model"'];
  const toml = [...keys, "[providers.custom]", "context_window = 200000", ""].join("\n");
  writeFileSync(path.join(dir, "config.toml"), toml, { mode: 0o600 });
}

if (import.meta.main) writeFileSync(pictureFile, await drawPicture());
