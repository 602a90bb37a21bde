import path from "node:path";
import { expect, test } from "vitest";
import { startModel } from "./helpers/model.ts";
import { talk } from "./helpers/pty.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const tool = path.resolve(import.meta.dirname, "../examples/tool-ask/index.ts");

test("SDK-15: at the terminal a tool's question is put in place as the tool's words, and declined or answered there", async () => {
  const args = { question: "Which\ncake?", choices: ["lemon", "plum"] };
  const ask = { calls: [{ name: "ask_person", args }] };
  await using model = await startModel(ask, "Plum it is.", ask, "No cake.");
  const config = [
    `extra_plugins = [${JSON.stringify(tool)}]`,
    `default_provider = "${model.provider}"`,
    'default_model = "m"',
    'api_key = "k"',
    "[security]",
    'auto_approve_tools = ["ask_person"]',
  ];
  using home = tempDir(config.join("\n"));
  await using person = talk(["agent"], { dir: home.dir });
  await person.until(/> $/);
  person.type("bake\r");
  const asked = await person.until(/Your answer \(or decline, cancel\): $/);
  expect(asked).toContain("The tool ask_person asks, in its own words:\r\n| Which\r\n| cake?\r\n");
  person.type("cheese\r");
  await person.until(/The answer does not fit[^]*Your answer \(or decline, cancel\): $/);
  person.type("plum\r");
  await person.until(/Plum it is\.[^]*> $/);
  person.type("more\r");
  await person.until(/Your answer \(or decline, cancel\): $/);
  person.type("decline\r");
  await person.until(/No cake\./);
  const [, first, , second] = model.requests.map(({ messages }) => messages.at(-1)?.content);
  expect([first, second]).toEqual([
    expect.stringContaining("plum"),
    expect.stringContaining("They did not answer (decline)."),
  ]);
});
