import * as fc from "fast-check";
import { stringify } from "smol-toml";
import { expect, test } from "vitest";
import { linesOf } from "../host/cli/config/line-of.ts";

const text = `# what it is
top = """
agent = 1
[agent]
"""
list = [
  "a = 1", # not a key
  ["[b]"],

  'c',
]
"odd.key".'inner' = { x = 1, "y z" = 2 }

[agent]
model = 'm'
[[models]]
name = "one"
[[models]]
name = "two"
size = 2
`;

test.each([
  [["agent"], 14],
  [["agent", "model"], 15],
  [["agent", "nobody"], 14],
  [["list", "1"], 6],
  [["odd.key", "inner", "y z"], 12],
  [["models", "name"], 17],
  [["models", "size"], 20],
  [["nobody"], 1],
] as const)("CFG-03: the line of %j is %i, whatever texts and lists hold", (path, line) => {
  expect(linesOf(text)(path)).toBe(line);
  expect(linesOf(text.replaceAll("\n", "\r\n"))(path)).toBe(line);
});

const name = fc.stringMatching(/^[a-z"'. =[\]#]{1,6}$/);
const value = fc.oneof(fc.string(), fc.integer(), fc.array(fc.string(), { maxLength: 3 }), fc.boolean());
const table = fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 });

test("CFG-03: every key of any file is found in the line that begins with it", () => {
  fc.assert(
    fc.property(fc.dictionary(name, table, { minKeys: 1, maxKeys: 4 }), (tree) => {
      const written = stringify(tree);
      const lineOf = linesOf(written);
      const lines = written.split("\n");
      for (const [at, inner] of Object.entries(tree))
        for (const key of Object.keys(inner)) {
          const said = lines[lineOf([at, key]) - 1] ?? "";
          expect(said.startsWith(stringify({ [key]: 1 }).replace(/= 1\n$/, ""))).toBe(true);
        }
    }),
  );
});
