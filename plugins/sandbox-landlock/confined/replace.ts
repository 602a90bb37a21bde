import { createHash } from "node:crypto";
import type { FileReplaced } from "@gantry/sdk/fill";
import { readFile, removeFile, writeFile } from "./files.ts";
import type { Request } from "../messages.ts";

type Write = Extract<Request, { do: "write" }>;

/** A larger file is never what somebody read and hands back. */
const MAX_COMPARED = 64 * 1024 * 1024;

/** Thrown if a file does not hold what the caller thinks it does. */
export class Changed extends Error {}

/** Writes or removes a file, if asked only with the expected content, and tells what it held. */
export function replaceFile({ path, data, expected, keepBytes = 0 }: Write): FileReplaced {
  const held = heldBy(path, expected === undefined ? keepBytes : MAX_COMPARED);
  if (expected !== undefined && digestOf(held) !== expected) throw new Changed();
  if (data === null) removeFile(path);
  else writeFile(path, data);
  if (!held) return { existed: false };
  return held.bytes <= keepBytes ? { existed: true, before: held.data } : { existed: true };
}

function heldBy(path: string, maxBytes: number): ReturnType<typeof readFile> | undefined {
  try {
    return readFile(path, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns null if there is no file, and a digest that never matches if it was not read whole. */
function digestOf(held: ReturnType<typeof readFile> | undefined): string | null {
  if (!held) return null;
  if (held.data.length < held.bytes) return "";
  return createHash("sha256").update(held.data).digest("hex");
}
