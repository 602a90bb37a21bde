import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { errors } from "./errors.ts";

const BLOCK = 512;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 5_000;

/** The plain files of a gzipped tar by path inside the package. Throws `PLUGINS_TARBALL` for whatever could write elsewhere. */
export async function readTarball(name: string, bytes: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const refuse = (why: string): Error => errors.PLUGINS_TARBALL(name, why);
  const tar = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES }).catch(
    (error: NodeJS.ErrnoException) => {
      throw refuse(
        error.code === "ERR_BUFFER_TOO_LARGE" ? `it is larger than ${MAX_BYTES} bytes` : "it is no gzip file",
      );
    },
  );
  const files = new Map<string, Uint8Array>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    if (sumOf(header) !== octal(header, 148, 8)) throw refuse("a header of it is damaged");
    const size = octal(header, 124, 12);
    const end = at + BLOCK + size;
    if (!Number.isSafeInteger(size) || size < 0 || end > tar.length)
      throw refuse("it breaks off in the middle of a file");
    const content = tar.subarray(at + BLOCK, end);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x") longName = paxPath(content);
    else if (type === "L") longName = text(content, 0, content.length);
    else if (type === "0" || type === "\0") {
      const path = insideOf(
        longName ?? [text(header, 345, 155), text(header, 0, 100)].filter(Boolean).join("/"),
      );
      if (path === undefined) throw refuse("a name in it leads out of the package");
      files.set(path, content);
      longName = undefined;
    } else if (type !== "5" && type !== "g") throw refuse("it holds links or devices");
    if (files.size > MAX_FILES) throw refuse(`it holds more than ${MAX_FILES} files`);
  }
  return files;
}

/** Without the first folder, which is `package` for most; undefined where the name is none of a file inside. */
function insideOf(name: string): string | undefined {
  const parts = name.split("/").slice(1);
  const wrong =
    parts.length === 0 ||
    name.startsWith("/") ||
    /[\0\\]/.test(name) ||
    parts.some((part) => part === "" || part === "." || part === "..");
  return wrong ? undefined : parts.join("/");
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
