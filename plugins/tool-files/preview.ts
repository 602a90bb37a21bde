import type { Effects, Preview } from "@gantry/sdk";
import { type FileOptions, checkedPath, filesOf } from "./files.ts";

/** Larger files are shown by their new text alone: nobody reads a comparison of so much. */
const MAX_COMPARED = 1024 * 1024;
const SNIFFED_BYTES = 8_192;
/** The comparison holds up everything else meanwhile. */
const MAX_COMPARING_MS = 200;
const CONTEXT_LINES = 3;

interface Writing {
  readonly path: string;
  readonly content: string;
  readonly effects: Effects;
  readonly signal: AbortSignal;
}

/** What a person is shown before a file is written: the change to what stands there, or the whole text of a new file. */
export async function previewOf(options: FileOptions, writing: Writing): Promise<Preview> {
  const { path, content } = writing;
  const bytes = Buffer.byteLength(content);
  const before = await presentText(options, writing);
  const head = `write ${bytes} bytes to ${path}`;
  if (before === undefined) return { text: `${head}, a new file:\n${content}` };
  if (typeof before === "object") return { text: `${head}, in place of ${before.instead}:\n${content}` };
  if (before === content) return { text: `${head}, which holds exactly this already` };
  const diff = await diffOf(path, before, content);
  if (diff === undefined)
    return { text: `${head}, in place of a text that has next to nothing in common with it:\n${content}` };
  return { text: `${head}, changing:`, diff };
}

/** The text that stands there; undefined where there is no file, and what it is where it cannot be compared. */
async function presentText(
  options: FileOptions,
  { content, effects, signal }: Writing,
): Promise<string | { readonly instead: string } | undefined> {
  try {
    const { data, bytes } = await filesOf(options).read(checkedPath(effects), MAX_COMPARED, signal);
    if (data.length < bytes || content.length > MAX_COMPARED) return { instead: `a file of ${bytes} bytes` };
    if (data.subarray(0, SNIFFED_BYTES).includes(0)) return { instead: `a binary file of ${bytes} bytes` };
    return new TextDecoder().decode(data);
  } catch (error) {
    if ((error as { code?: string }).code === "FILE_MISSING") return undefined;
    return { instead: "what stands there and cannot be read" };
  }
}

/** Undefined where the two differ so much that the comparison would take too long. */
async function diffOf(path: string, before: string, after: string): Promise<string | undefined> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    headerOptions: FILE_HEADERS_ONLY,
    timeout: MAX_COMPARING_MS,
  });
  return patch?.trimEnd();
}
