import { type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, checkedPath, filesOf } from "./files.ts";

const MAX_CONTENT = 8 * 1024 * 1024;
const PREVIEW_LINES = 20;

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
    preview: ({ path, content }) => preview(path, content),
    async run({ args: { path, content }, effects, signal }) {
      await filesOf(options).write(checkedPath(effects), content, signal);
      return `Wrote ${Buffer.byteLength(content)} bytes to ${path}.`;
    },
  });
}

function preview(path: string, content: string): string {
  const lines = content.split("\n");
  const rest = lines.length - PREVIEW_LINES;
  return [
    `write ${Buffer.byteLength(content)} bytes to ${path}:`,
    ...lines.slice(0, PREVIEW_LINES),
    ...(rest > 0 ? [`… ${rest} more lines`] : []),
  ].join("\n");
}
