import type { SandboxedFiles } from "@gantry/sdk/fill";
import type { Wish } from "./edit-text.ts";
import { errors } from "./errors.ts";
import { isBinary } from "./files.ts";

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** The arguments of file_edit. */
export interface EditArguments {
  readonly path: string;
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** Returns the wish of the arguments, one character a byte, as the file is compared. */
export function wishOf(args: EditArguments): Wish {
  return { old: bytesOf(args.old), wanted: bytesOf(args.new), all: args.all === true };
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A text file that can be edited; `written` is the path as the model wrote it. */
export async function readWhole(
  files: SandboxedFiles,
  path: string,
  written: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const { data, bytes } = await files.read(path, MAX_FILE_BYTES, signal);
  if (bytes > data.length) throw errors.EDIT_TOO_LARGE(written, bytes, MAX_FILE_BYTES);
  if (isBinary(data)) throw errors.EDIT_BINARY(written, bytes);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
