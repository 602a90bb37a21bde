import { type Policy, type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, filesOf, folderInput } from "./files.ts";

const DEFAULT_LINES = 100;
const MAX_LINES = 1_000;
const MAX_CONTEXT = 10;

const input = Type.Object({
  pattern: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: "A regular expression (RE2), matched in each line.",
  }),
  literal: Type.Optional(Type.Boolean({ description: "Take the pattern as it stands; default false." })),
  ignore_case: Type.Optional(Type.Boolean({ description: "Default false." })),
  path: folderInput,
  glob: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: "Only files that fit, such as *.ts or !*.md.",
    }),
  ),
  context: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_CONTEXT, description: "Lines before and after; default 0." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LINES,
      description: `Lines found at most; default ${DEFAULT_LINES}.`,
    }),
  ),
});

export function searchTool(options: FileOptions & { readonly policy: Policy }): Tool {
  return defineTool({
    name: "file_search",
    description:
      "Finds lines in the files of a folder. Hidden and binary files and what .gitignore and .ignore leave out are not searched.",
    input,
    parallel: true,
    timeoutMs: options.timeoutMs,
    offered: () => options.sandbox !== undefined,
    effects: ({ path: folder = "." }) => ({ paths: [{ path: folder, access: "read" }] }),
    async run(run) {
      const { search } = await import("./search-run.ts");
      return search({ ...options, files: filesOf(options), defaultLines: DEFAULT_LINES }, run);
    },
  });
}
