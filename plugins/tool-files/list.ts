import type { DirectoryEntry } from "@gantry/sdk/fill";
import { type Tool, counted, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, checkedPath, filesOf, folderInput } from "./files.ts";
import { shownName } from "./place.ts";

const MAX_ENTRIES = 1_000;

export function listTool(options: FileOptions): Tool {
  return defineTool({
    name: "file_list",
    atTerminal: "list",
    description: "Lists a directory of the workspace: kind, size and name of each entry.",
    input: Type.Object({
      path: folderInput,
    }),
    parallel: true,
    timeoutMs: options.timeoutMs,
    offered: () => options.sandbox !== undefined,
    effects: ({ path = "." }) => ({ paths: [{ path, access: "read" }] }),
    async run({ args: { path = "." }, effects, signal }) {
      const { entries, more } = await filesOf(options).list(checkedPath(effects), MAX_ENTRIES, signal);
      if (entries.length === 0) return `[${path} is empty]`;
      return [...entries.map(line), ...(more ? [`[only the first ${MAX_ENTRIES} entries]`] : [])].join("\n");
    },
  });
}

function line({ name, kind, bytes }: DirectoryEntry): string {
  const shown = shownName(name);
  return kind === "directory"
    ? `${shown}/`
    : kind === "file"
      ? `${shown} (${counted(bytes, "byte")})`
      : `${shown} (${kind})`;
}
