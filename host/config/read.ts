import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { parse, TomlError } from "smol-toml";
import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** Returns undefined if there is no file; throws coded errors if one cannot be read. */
export async function readText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw errors.CONFIG_UNREADABLE(file, code);
  }
  // Read leniently, a letter of another encoding would be lost for good with the next `config set`.
  if (!isUtf8(bytes)) throw notUtf8(file, bytes);
  return bytes.toString("utf8");
}

function notUtf8(file: string, bytes: Buffer): GantryError {
  const lines = bytes.toString("latin1").split("\n");
  const at = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  const column = Buffer.from(lines[at] ?? "", "latin1")
    .toString("utf8")
    .indexOf("\ufffd");
  return errors.CONFIG_TOML(file, at + 1, column + 1, "it is not UTF-8");
}

/** Throws CONFIG_TOML with the place of the first fault. */
export function parseToml(file: string, text: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "") ?? "";
    throw errors.CONFIG_TOML(file, error.line, error.column, what);
  }
}
