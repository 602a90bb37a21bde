import type { SandboxedFiles } from "@gantry/sdk/fill";
import type { ToolRun } from "@gantry/sdk";
import { type Found, MAX_TOLD, findText, replaced } from "./edit-text.ts";
import { type EditArguments, readWhole, wishOf } from "./edit-wish.ts";
import { errors } from "./errors.ts";
import type { FailedEdits } from "./failed-edits.ts";
import { checkedPath } from "./files.ts";
import { type Journal, digestOf } from "./journal.ts";
import { Lines } from "./lines.ts";
import { nearestLines } from "./nearest-lines.ts";

export interface EditDeps {
  readonly files: SandboxedFiles;
  readonly journal: Journal;
  readonly failures: FailedEdits;
}

/**
 * Edits a file, where it still holds what was read, keeps what stood there, and tells the model
 * what was done.
 */
export async function applyEdit(
  { files, journal, failures }: EditDeps,
  { args, effects, session, user, agent, signal }: ToolRun<EditArguments>,
): Promise<string> {
  const path = checkedPath(effects);
  const data = await readWhole(files, path, args.path, signal);
  const text = data.toString("latin1");
  const found = find(text, args, () => failures.add(session, args));
  const edited = Buffer.from(replaced(text, found.places), "latin1");

  await files.write(path, edited, signal, { expected: digestOf(data) });
  failures.forget(session);
  const who = { session, user, agent, tool: "file_edit", path };
  const unkept = await journal.keepWritten(who, { existed: true, before: data }, edited);
  return report(text, found, args.path) + unkept;
}

/** Throws if there is not exactly one place, or none for `all`. */
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
