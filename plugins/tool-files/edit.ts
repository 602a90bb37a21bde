import { type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { FailedEdits } from "./failed-edits.ts";
import { type FileOptions, filesOf, pathInput } from "./files.ts";
import type { Journal } from "./journal.ts";

const MAX_TEXT = 8 * 1024 * 1024;

export function editTool(
  options: FileOptions & { readonly enabled: boolean; readonly journal: Journal },
): Tool {
  const failures = new FailedEdits();
  return defineTool({
    name: "file_edit",
    description:
      "Replaces a text in a file of the workspace. `old` must stand there once, with enough lines around it to be the only such place; line ends, and where need be blanks, are matched as the file has them.",
    input: Type.Object({
      path: pathInput,
      old: Type.String({ minLength: 1, maxLength: MAX_TEXT, description: "The text as it stands there." }),
      new: Type.String({ maxLength: MAX_TEXT, description: "What shall stand there instead." }),
      all: Type.Optional(Type.Boolean({ description: "Replace every place; default false." })),
    }),
    timeoutMs: options.timeoutMs,
    offered: () => options.enabled && options.sandbox !== undefined,
    effects: ({ path }) => ({ paths: [{ path, access: "write" }] }),
    async preview(args, { effects, signal }) {
      const { previewOf } = await import("./edit-preview.ts");
      return previewOf(options, args, effects, signal);
    },
    async run(run) {
      const { applyEdit } = await import("./apply-edit.ts");
      return applyEdit({ files: filesOf(options), journal: options.journal, failures }, run);
    },
  });
}
