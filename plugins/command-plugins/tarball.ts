import { gunzipSync } from "node:zlib";

const BLOCK = 512;
const MAX_BYTES = 64 * 1024 * 1024;
export const MAX_FILES = 5_000;

/** Why a tarball is not unpacked. */
export const refusals = {
  damaged: "a header of it is damaged",
  cut: "it breaks off in the middle of a file",
  links: "it holds links or devices",
  many: `it holds more than ${MAX_FILES} files`,
  large: `it is larger than ${MAX_BYTES} bytes`,
  other: "it is no gzip file",
} as const;
export type Refusal = keyof typeof refusals;

/** Thrown for a tarball that is not unpacked. */
export class Refused extends Error {
  readonly why: Refusal;
  constructor(why: Refusal) {
    super(refusals[why]);
    this.why = why;
  }
}

/** Returns the plain files of a gzipped tar, by their names as they stand in it. Throws Refused. */
export function filesOf(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const tar = unzipped(bytes);
  const files = new Map<string, Uint8Array>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (sumOf(header) !== octal(header, 148, 8)) throw new Refused("damaged");
    const size = octal(header, 124, 12);
    const end = at + BLOCK + size;
    if (!Number.isSafeInteger(size) || size < 0 || end > tar.length) throw new Refused("cut");
    const content = tar.subarray(at + BLOCK, end);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x") longName = paxPath(content);
    else if (type === "L") longName = text(content, 0, content.length);
    else if (type === "0" || type === "\0") {
      const short = [text(header, 345, 155), text(header, 0, 100)].filter(Boolean).join("/");
      files.set(longName ?? short, content);
      longName = undefined;
    } else if (type !== "5" && type !== "g") throw new Refused("links");
    if (files.size > MAX_FILES) throw new Refused("many");
  }
  return files;
}

function unzipped(bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new Refused(isLarge ? "large" : "other");
  }
}

function text(bytes: Uint8Array, from: number, length: number): string {
  const field = bytes.subarray(from, from + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end));
}

function octal(bytes: Uint8Array, from: number, length: number): number {
  const digits = text(bytes, from, length).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

/** The checksum counts its own eight bytes as spaces. */
function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0);
}

/** Lines of `<length> <key>=<value>`. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(new TextDecoder().decode(content))?.[1];
}
