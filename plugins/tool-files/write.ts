import { type Tool, counted, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, checkedPath, filesOf, pathInput } from "./files.ts";
import type { Journal } from "./journal.ts";
import { previewOf } from "./preview.ts";

const MAX_CONTENT = 8 * 1024 * 1024;

export function writeTool(
  options: FileOptions & { readonly enabled: boolean; readonly journal: Journal },
): Tool {
  return defineTool({
    name: "file_write",
    description:
      "Writes a text file of the workspace, replacing what was there; missing directories are made.",
    input: Type.Object({
      path: pathInput,
      content: Type.String({ maxLength: MAX_CONTENT, description: "The whole new text." }),
    }),
    timeoutMs: options.timeoutMs,
    offered: () => options.enabled && options.sandbox !== undefined,
    effects: ({ path }) => ({ paths: [{ path, access: "write" }] }),
    hints: { idempotent: true },
    preview: ({ path, content }, { effects, signal }) =>
      previewOf(options, { path, content, effects, signal }),
    async run({ args: { path, content }, effects, session, user, agent, signal }) {
      const { journal } = options;
      const target = checkedPath(effects);
      const before = await filesOf(options).write(target, content, signal, { keepBytes: journal.maxBytes });
      const who = { session, user, agent, tool: "file_write", path: target };
      const unkept = await journal.keepWritten(who, before, content);
      return `Wrote ${counted(Buffer.byteLength(content), "byte")} to ${path}.${unkept}`;
    },
  });
}
