import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { errors, imageType, mediaBounds, type Part } from "@gantry/sdk";
import type { OptionValue } from "@gantry/sdk/fill";
import type { Host } from "@gantry/host";

/**
 * Files of pictures as parts of a message; throws `FILE_MISSING`, `FILE_FAILED`, `MEDIA_TOO_LARGE`
 * and `USAGE`.
 */
export async function picturesOf(host: Host, files: OptionValue, user: string): Promise<readonly Part[]> {
  if (typeof files !== "object") return [];
  const parts: Part[] = [];
  for (const file of files) {
    const bytes = await readPicture(file);
    const mime = imageType(bytes);
    if (!mime)
      throw errors.USAGE(`--image ${file} is no picture that models see (png, jpeg, gif, webp)`, "agent ");
    const media = await host.media.put(bytes, { mime, name: path.basename(file), user });
    parts.push({ type: "media", media });
  }
  return parts;
}

async function readPicture(file: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size > mediaBounds.image) throw errors.MEDIA_TOO_LARGE(file, size, mediaBounds.image);
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw errors.FILE_MISSING(file);
    throw code?.startsWith("E") ? errors.FILE_FAILED(file, "read", code) : error;
  }
}
