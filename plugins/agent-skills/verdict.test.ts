import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSkill } from "./skill-read.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "gantry-skill-verdict-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** The findings of a skill in a folder of this name, or the sentence why it is none. */
async function verdict(folderName: string, text: string | Uint8Array, file = "SKILL.md"): Promise<string> {
  const folder = path.join(home, folderName);
  await mkdir(folder);
  await writeFile(path.join(folder, file), text);
  return readSkill(folder, folderName).then(
    ({ findings }) => findings.join(" "),
    (error: Error) => error.message,
  );
}
const head = (...lines: readonly string[]): string => ["---", ...lines, "---", "# Do it"].join("\n");

test.each([
  ["plain", head("name: plain", "description: Does a thing.")],
  [
    "all-keys",
    head(
      "name: all-keys",
      "description: d",
      "license: MIT",
      "compatibility: any",
      "allowed-tools: Bash(jq:*) Read",
      "metadata:",
      "  author: A",
      "  version: 1.0",
    ),
  ],
  ["list-of-tools", head("name: list-of-tools", "description: d", "allowed-tools:", "  - Bash", "  - Read")],
  ["技能", head("name: 技能", "description: d")],
  ["мой-навык", head("name: мой-навык", "description: d")],
  ["many-lines", head("name: many-lines", "description: >", "  two", "  lines")],
  ["caf\u00e9", head("name: cafe\u0301", "description: d")],
  [
    "x".repeat(64),
    head(`name: ${"x".repeat(64)}`, `description: ${"d".repeat(1_024)}`, `compatibility: ${"c".repeat(500)}`),
  ],
])("AGT-13: the skill %s is valid", async (name, text) => {
  expect(await verdict(name, text)).toBe("");
});

test.each([
  ["Upper", head("name: Upper", "description: d"), "lower case"],
  ["НАВЫК", head("name: НАВЫК", "description: d"), "lower case"],
  ["-front", head("name: -front", "description: d"), "hyphen"],
  ["two--hyphens", head("name: two--hyphens", "description: d"), "two hyphens"],
  ["under_score", head("name: under_score", "description: d"), "letters, digits"],
  ["folder", head("name: other", "description: d"), "folder is called folder"],
  ["foreign-key", head("name: foreign-key", "description: d", "triggers: x"), "triggers"],
  ["x".repeat(65), head(`name: ${"x".repeat(65)}`, "description: d"), "65 characters"],
  ["long", head("name: long", `description: ${"d".repeat(1_025)}`), "1025 characters"],
  ["compat", head("name: compat", "description: d", `compatibility: ${"c".repeat(501)}`), "501 characters"],
  ["no-name", head("description: d"), "no name"],
  ["no-description", head("name: no-description"), "no description"],
  ["empty", head("name: empty", "description:"), "not a text, or empty"],
  ["table", head("name: table", "description:", "  a: b"), "not a text, or empty"],
  ["no-head", "# Nothing above", "three dashes"],
  ["open-head", "---\nname: open-head\ndescription: d\n", "not closed"],
  ["list", head("- a", "- b"), "not a table"],
  ["broken", head("name: [broken", "description: d"), "not YAML"],
  ["brackets", head("name: brackets", "description: d", "allowed-tools: [Read]"), "brackets"],
  ["twice", head("name: twice", "name: twice", "description: d"), "not YAML"],
  ["anchor", head("name: &a anchor", "description: d"), "an anchor"],
  ["alias", head("name: alias", "description: &d d", "license: *d"), "an a"],
  ["tagged", head("name: tagged", "description: !!binary d"), "a tag"],
])("AGT-13: the skill %s is not", async (name, text, why) => {
  expect(await verdict(name, text)).toContain(why);
});

test("AGT-13: skill.md in lower case is read, and a file that is not UTF-8 is not", async () => {
  expect(await verdict("low", head("name: low", "description: d"), "skill.md")).toBe("");
  expect(await verdict("bytes", Buffer.from([0x2d, 0x2d, 0x2d, 0xff]))).toContain("UTF-8");
  expect(await verdict("none", "x", "README.md")).toContain("no SKILL.md");
});
