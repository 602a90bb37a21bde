import { readFile, stat } from "node:fs/promises";
import { errors as common } from "@gantry/sdk";
import { replaceFile } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

const LARGEST = 1024 * 1024;

/**
 * Returns the JSON in a file; undefined if there is no file. Throws `GENLANG_CREDENTIAL_BROKEN`.
 */
export async function readJson(path: string, where: string = path): Promise<unknown> {
  try {
    const facts = await stat(path);
    if (!facts.isFile()) throw errors.GENLANG_CREDENTIAL_BROKEN(where, "it is not a file");
    if (facts.size > LARGEST)
      throw errors.GENLANG_CREDENTIAL_BROKEN(where, `it is larger than ${LARGEST} bytes`);
    return JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (error instanceof SyntaxError) throw errors.GENLANG_CREDENTIAL_BROKEN(where, "it is not JSON");
    if (code?.startsWith("GENLANG_")) throw error;
    throw errors.GENLANG_CREDENTIAL_BROKEN(where, `it cannot be read, ${code}`);
  }
}

/** Replaces the file in one step; only its owner may read it. Throws `CONFIG_UNWRITABLE`. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw common.CONFIG_UNWRITABLE(path, (error as NodeJS.ErrnoException).code ?? "unknown reason");
  }
}
