import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { gantry } from "./helpers/cli.ts";
import { startModel, type ModelServer } from "./helpers/model.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** A repository with a test that fails, for a reason that has to be found. */
function repository(dir: string): string {
  const folder = path.join(dir, "workspace");
  mkdirSync(path.join(folder, "src"), { recursive: true });
  mkdirSync(path.join(folder, "node_modules/other"), { recursive: true });
  writeFileSync(path.join(folder, ".gitignore"), "node_modules/\n");
  writeFileSync(path.join(folder, "node_modules/other/sum.js"), "export function sum() {}\n");
  writeFileSync(
    path.join(folder, "src/sum.mjs"),
    "export function sum(numbers) {\r\n\tlet total = 1;\r\n\tfor (const one of numbers) total += one;\r\n\treturn total;\r\n}\r\n",
  );
  writeFileSync(
    path.join(folder, "check.mjs"),
    'import { sum } from "./src/sum.mjs";\nif (sum([1, 2]) !== 3) throw new Error(`sum is ${sum([1, 2])}`);\nconsole.log("all is well");\n',
  );
  return folder;
}

/**
 * The steps of a model that fixes a test: run, search, edit as it remembers the text, run again.
 */
function script(program: string) {
  return [
    { calls: [{ name: "shell", args: { command: `${program} check.mjs` } }] },
    { calls: [{ name: "file_search", args: { pattern: "function sum", context: 4 } }] },
    {
      calls: [
        {
          name: "file_edit",
          args: {
            path: "src/sum.mjs",
            old: "export function sum(numbers) {\n  let total = 1;\n",
            new: "export function sum(numbers) {\n  let total = 0;\n",
          },
        },
      ],
    },
    { calls: [{ name: "shell", args: { command: `${program} check.mjs` } }] },
    "The test passes now.",
  ];
}

function results(model: ModelServer): readonly string[] {
  const messages = model.requests.at(-1)?.messages ?? [];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

test.each([
  ["semi-autonomous", 3],
  ["autonomous", 0],
])("AGT-08: a failing test is mended in %s with at most %i questions", async (level, questions) => {
  await using model = await startModel(...script(process.execPath));
  using home = tempDir("");
  writeFileSync(
    home.file,
    [
      `default_provider = "${model.provider}"`,
      'default_model = "m"',
      `[agent]\nautonomy_level = "${level}"`,
      "[providers.custom]\nmax_retries = 0",
      `[security.sandboxing]\nallowed_read_paths = ["/usr", "/lib", "/lib64", "/bin", "/etc/ssl", "$WORKSPACE", "${path.dirname(process.execPath)}"]`,
      // Node reserves more than it uses.
      "[runtime]\nmax_memory_mb = 8192\n",
    ].join("\n"),
  );
  const folder = repository(home.dir);
  const args = ["agent", "-m", "mend the test", ...(questions > 0 ? ["--yes"] : [])];
  const { code, out } = await gantry(args, { dir: home.dir });
  expect([code, out]).toEqual([0, "The test passes now.\n"]);

  const [failed, found, edited, passed] = results(model);
  expect([failed, found, edited, passed]).toEqual([
    expect.stringContaining("sum is 4"),
    expect.stringContaining("let total = 1;"),
    expect.stringContaining("Replaced one place in src/sum.mjs"),
    expect.stringContaining("all is well"),
  ]);
  expect(found).not.toContain("node_modules");
  expect(readFileSync(path.join(folder, "src/sum.mjs"), "utf8")).toBe(
    "export function sum(numbers) {\r\n\tlet total = 0;\r\n\tfor (const one of numbers) total += one;\r\n\treturn total;\r\n}\r\n",
  );
  const audit = readFileSync(path.join(home.dir, "audit.jsonl"), "utf8").trim().split("\n");
  const asked = audit.filter(
    (line) => (JSON.parse(line) as { event_type: string }).event_type === "approval",
  );
  expect(asked.length).toBe(questions);
});
