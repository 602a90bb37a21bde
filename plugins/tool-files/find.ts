import { type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, filesOf, folderInput } from "./files.ts";

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
    async run(run) {
      const { find } = await import("./find-run.ts");
      const { limit = DEFAULT_FILES, glob } = run.args;
      return find({ ...options, files: filesOf(options), glob, limit }, run);
    },
  });
}
