import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";

export interface ReplaceOptions {
  /** The new file's mode, before the umask. Default: 0600. */
  readonly mode?: number;
  /** True if it must outlive a power cut, at the price of two fsync. Default: true. */
  readonly durable?: boolean;
}

/**
 * Writes a file in one step: at any moment it is the old one or the new one, whole. A link is
 * replaced, not followed; the folder must be there. Throws what open(2), write(2) and rename(2)
 * say, and then leaves nothing behind.
 */
export async function replaceFile(
  file: string,
  data: string | Uint8Array | readonly Uint8Array[],
  { mode = 0o600, durable = true }: ReplaceOptions = {},
): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const handle = await open(draft, "wx", mode);
    try {
      await handle.writeFile(data);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    if (durable) await syncFolder(path.dirname(file));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The name itself is on disk only then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
