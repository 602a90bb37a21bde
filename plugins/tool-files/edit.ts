import { type Tool, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { type Found, MAX_TOLD, findText, replaced } from "./edit-text.ts";
import { previewOf } from "./edit-preview.ts";
import { type EditArguments, readWhole, wishOf } from "./edit-wish.ts";
import { errors } from "./errors.ts";
import { FailedEdits } from "./failed-edits.ts";
import { type FileOptions, checkedPath, filesOf, pathInput } from "./files.ts";
import { type Journal, digestOf } from "./journal.ts";
import { Lines } from "./lines.ts";
import { nearestLines } from "./nearest-lines.ts";

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
    preview: (args, { effects, signal }) => previewOf(filesOf(options), args, effects, signal),
    async run({ args, effects, session, user, signal }) {
      const path = checkedPath(effects);
      const files = filesOf(options);
      const data = await readWhole(files, path, args.path, signal);
      const text = data.toString("latin1");
      const found = find(text, args, () => failures.add(session, args));
      const edited = Buffer.from(replaced(text, found.places), "latin1");
      await files.write(path, edited, signal, { expected: digestOf(data) });
      failures.forget(session);
      const unkept = await options.journal.keepWritten(
        { session, user, tool: "file_edit", path },
        { existed: true, before: data },
        edited,
      );
      return report(text, found, args.path) + unkept;
    },
  });
}

/** Throws where there is not exactly one place, or none for `all`. */
function find(text: string, args: EditArguments, failsAgain: () => boolean): Found {
  if (args.old === args.new) throw errors.EDIT_NOTHING(args.path);
  const wish = wishOf(args);
  const found = findText(text, wish);
  if (found.places.length === 1 || (args.all && found.places.length > 0)) return found;
  if (failsAgain()) throw errors.EDIT_AGAIN(args.path);
  if (found.places.length === 0) throw errors.EDIT_MISSED(args.path, nearestLines(text, wish.old));
  throw errors.EDIT_MANY(args.path, lineNumbers(text, found));
}

function lineNumbers(text: string, { places }: Found): string {
  const lines = new Lines(text);
  const told = places.slice(0, MAX_TOLD).map(({ start }) => lines.at(start) + 1);
  return `${told.join(", ")}${places.length > MAX_TOLD ? " and further ones" : ""}`;
}

function report(text: string, found: Found, path: string): string {
  const where = `${found.places.length === 1 ? "line" : "lines"} ${lineNumbers(text, found)}`;
  const without = found.without === undefined ? "" : ` It was found without regard to ${found.without}.`;
  return `Replaced ${found.places.length === 1 ? "one place" : `${found.places.length} places`} in ${path} (${where}).${without}`;
}
