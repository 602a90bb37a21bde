import { counted, type Effects, type Preview } from "@gantry/sdk";
import { shownName } from "@gantry/sdk/node";
import { MAX_COMPARED, diffOf } from "../shared/text-diff.ts";
import { type FileOptions, checkedPath, filesOf, isBinary } from "./files.ts";

interface Writing {
  readonly path: string;
  readonly content: string;
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/**
 * Returns the preview of a write: the change to the present text, or the whole text of a new file.
 */
export async function previewOf(options: FileOptions, writing: Writing): Promise<Preview> {
  const { content } = writing;
  const path = shownName(writing.path);
  const bytes = Buffer.byteLength(content);
  const before = await presentText(options, writing);
  const head = `write ${counted(bytes, "byte")} to ${path}`;
  if (before === undefined) return { text: `${head}, a new file:\n${content}` };
  if (typeof before === "object") return { text: `${head}, in place of ${before.instead}:\n${content}` };
  if (before === content) return { text: `${head}, which holds exactly this already` };
  const diff = await diffOf(path, before, content);
  if (diff === undefined)
    return { text: `${head}, in place of a text that has next to nothing in common with it:\n${content}` };
  return { text: `${head}, changing:`, diff };
}

/**
 * Returns the present text; undefined if there is no file, and a description if it cannot be
 * compared.
 */
async function presentText(
  options: FileOptions,
  { content, effects, signal }: Writing,
): Promise<string | { readonly instead: string } | undefined> {
  try {
    const { data, bytes } = await filesOf(options).read(checkedPath(effects), MAX_COMPARED, signal);
    if (data.length < bytes || content.length > MAX_COMPARED)
      return { instead: `a file of ${counted(bytes, "byte")}` };
    if (isBinary(data)) return { instead: `a binary file of ${counted(bytes, "byte")}` };
    return new TextDecoder().decode(data);
  } catch (error) {
    if ((error as { code?: string }).code === "FILE_MISSING") return undefined;
    return { instead: "what stands there and cannot be read" };
  }
}
