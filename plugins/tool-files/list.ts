import { type DirectoryEntry, type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, checkedPath, filesOf } from "./files.ts";

const MAX_ENTRIES = 1_000;

export function listTool(options: FileOptions): Tool {
  return defineTool({
    name: "file_list",
    description: "Lists a directory of the workspace: kind, size and name of each entry.",
    input: Type.Object({
      path: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 4_096,
          description: "Relative to the workspace, or absolute; default the workspace.",
        }),
      ),
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

/** A name could hold a line break; as JSON it cannot pass for another entry. */
function line({ name, kind, bytes }: DirectoryEntry): string {
  const shown = /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ? JSON.stringify(name) : name;
  return kind === "directory"
    ? `${shown}/`
    : kind === "file"
      ? `${shown} (${bytes} bytes)`
      : `${shown} (${kind})`;
}
