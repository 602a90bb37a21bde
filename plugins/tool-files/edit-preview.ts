import type { Effects, Preview } from "@gantry/sdk";
import { shownName } from "@gantry/sdk/node";
import { MAX_COMPARED, diffOf } from "../shared/text-diff.ts";
import { findText, replaced } from "./edit-text.ts";
import { type EditArguments, readWhole, wishOf } from "./edit-wish.ts";
import { type FileOptions, checkedPath, filesOf } from "./files.ts";

/** Returns the preview of an edit: the change to the text, or why there would be none. */
export async function previewOf(
  options: FileOptions,
  args: EditArguments,
  effects: Effects,
  signal: AbortSignal,
): Promise<Preview> {
  const path = shownName(args.path);
  const head = `edit ${path}${args.all ? ", every place" : ""}`;
  const asked = [...signed("-", args.old), ...signed("+", args.new)].join("\n");
  let data: Buffer;
  try {
    data = await readWhole(filesOf(options), checkedPath(effects), path, signal);
  } catch (error) {
    return { text: `${head}, which fails (${JSON.stringify((error as Error).message)}):\n${asked}` };
  }

  const text = data.toString("latin1");
  const { places } = findText(text, wishOf(args));
  if (places.length === 0)
    return { text: `${head}, which fails, as the text does not stand there:\n${asked}` };
  if (places.length > 1 && !args.all)
    return { text: `${head}, which fails, as the text stands there more than once:\n${asked}` };

  const edited = Buffer.from(replaced(text, places), "latin1");
  const small = Math.max(data.length, edited.length) <= MAX_COMPARED;
  const diff = small ? await diffOf(path, data.toString("utf8"), edited.toString("utf8")) : undefined;
  return diff === undefined ? { text: `${head}:\n${asked}` } : { text: `${head}, changing:`, diff };
}

function signed(sign: string, text: string): readonly string[] {
  return text.split("\n").map((line) => sign + line);
}
