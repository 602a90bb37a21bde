import { type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { previewOf } from "./preview.ts";
import { type FileOptions, checkedPath, filesOf } from "./files.ts";

const MAX_CONTENT = 8 * 1024 * 1024;

export function writeTool(options: FileOptions & { readonly enabled: boolean }): Tool {
  return defineTool({
    name: "file_write",
    description:
      "Writes a text file of the workspace, replacing what was there; missing directories are made.",
    input: Type.Object({
      path: Type.String({
        minLength: 1,
        maxLength: 4_096,
        description: "Relative to the workspace, or absolute.",
      }),
      content: Type.String({ maxLength: MAX_CONTENT, description: "The whole new text." }),
    }),
    timeoutMs: options.timeoutMs,
    offered: () => options.enabled && options.sandbox !== undefined,
    effects: ({ path }) => ({ paths: [{ path, access: "write" }] }),
    hints: { idempotent: true },
    preview: ({ path, content }, { effects, signal }) =>
      previewOf(options, { path, content, effects, signal }),
    async run({ args: { path, content }, effects, signal }) {
      await filesOf(options).write(checkedPath(effects), content, signal);
      return `Wrote ${Buffer.byteLength(content)} bytes to ${path}.`;
    },
  });
}
