import path from "node:path";
import { type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, checkedPath, filesOf, folderInput } from "./files.ts";
import { globTest } from "./glob.ts";
import { shownPath } from "./place.ts";
import { Spent } from "./spent.ts";
import { walk } from "./walk.ts";

const DEFAULT_FILES = 200;
const MAX_FILES = 5_000;

export function findTool(options: FileOptions): Tool {
  return defineTool({
    name: "file_find",
    description:
      "Finds files by a pattern of their names, such as *.ts or src/**/*.{js,ts}. Hidden files and what .gitignore and .ignore leave out are not visited.",
    input: Type.Object({
      glob: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: "The pattern; without a slash it fits in any folder.",
      }),
      path: folderInput,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_FILES,
          description: `How many files at most; default ${DEFAULT_FILES}.`,
        }),
      ),
    }),
    parallel: true,
    timeoutMs: options.timeoutMs,
    offered: () => options.sandbox !== undefined,
    effects: ({ path: folder = "." }) => ({ paths: [{ path: folder, access: "read" }] }),
    async run({ args: { glob, limit = DEFAULT_FILES }, effects, cwd, signal }) {
      const fits = await globTest(glob);
      const root = checkedPath(effects);
      const spent = new Spent(options);
      const found: string[] = [];
      for await (const file of walk({ files: filesOf(options), root, workspace: cwd, signal })) {
        if (spent.time) break;
        if (!fits(path.relative(root, file.path)) && !fits(path.relative(cwd, file.path))) continue;
        const shown = shownPath(file.path, cwd);
        if (found.length === limit || !spent.takes(shown)) {
          spent.cut = true;
          break;
        }
        found.push(shown);
      }
      const notes = spent.notes(`the first ${found.length} files`, "the pattern or the path");
      if (found.length === 0) return `[no file fits${notes.map((note) => `; ${note}`).join("")}]`;
      return [...found, ...notes.map((note) => `[${note}]`)].join("\n");
    },
  });
}
