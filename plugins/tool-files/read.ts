import { type Media, type Tool, counted, defineTool, imageType } from "@gantry/sdk";
import { Type } from "typebox";
import { type FileOptions, checkedPath, filesOf, isBinary, pathInput } from "./files.ts";
import { picture } from "./picture.ts";

const DEFAULT_LINES = 2_000;
/** Beyond this the end of a file is out of reach of `offset`. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The words around the text need room too. */
const FRAME_BYTES = 512;

export function readTool(options: FileOptions & { readonly media: Media | undefined }): Tool {
  return defineTool({
    name: "file_read",
    description:
      "Reads a text file of the workspace, a page of lines at a time, or shows a picture (png, jpeg, gif, webp).",
    input: Type.Object({
      path: pathInput,
      offset: Type.Optional(Type.Integer({ minimum: 1, description: "The first line to read; default 1." })),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100_000,
          description: `How many lines; default ${DEFAULT_LINES}.`,
        }),
      ),
    }),
    parallel: true,
    timeoutMs: options.timeoutMs,
    offered: () => options.sandbox !== undefined,
    effects: ({ path }) => ({ paths: [{ path, access: "read" }] }),
    async run({ args: { path, offset = 1, limit = DEFAULT_LINES }, effects, user, signal }) {
      const { data, bytes } = await filesOf(options).read(checkedPath(effects), MAX_READ_BYTES, signal);
      const mime = imageType(data);
      if (mime !== undefined && options.media !== undefined)
        return picture(options.media, { data, bytes, mime, path, user });
      if (isBinary(data)) return `[${path} is a binary file of ${counted(bytes, "byte")}]`;
      return page(new TextDecoder().decode(data), {
        path,
        offset,
        limit,
        bytes,
        read: data.length,
        room: options.maxOutputBytes - FRAME_BYTES,
      });
    },
  });
}

interface Page {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
  readonly bytes: number;
  readonly read: number;
  readonly room: number;
}

/** Whole lines as far as they fit, then where to go on. A line that alone is too long is cut. */
function page(text: string, { path, offset, limit, bytes, read, room }: Page): string {
  if (text === "") return `[${path} is empty]`;
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  if (offset > lines.length) return `[${path} has only ${lines.length} lines]`;
  const taken: string[] = [];
  let left = room;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const size = Buffer.byteLength(line) + 1;
    if (size > left) {
      if (taken.length === 0)
        taken.push(
          `${Buffer.from(line).subarray(0, left).toString("utf8")} [line cut: ${size - left} more bytes]`,
        );
      break;
    }
    left -= size;
    taken.push(line);
  }
  const last = offset - 1 + taken.length;
  const notes = [
    ...(last < lines.length ? [`go on with offset ${last + 1}`] : []),
    ...(read < bytes ? [`the last ${bytes - read} bytes are beyond what can be read`] : []),
  ];
  if (notes.length === 0 && offset === 1) return taken.join("\n");
  return `${taken.join("\n")}\n[${[`lines ${offset}-${last} of ${lines.length}`, ...notes].join("; ")}]`;
}
