import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";

/**
 * Moves what was staged to the package's place, does `work`, and moves the old one back where that
 * fails.
 */
export async function putInPlace(
  folder: string,
  name: string,
  staging: string,
  work: () => Promise<void>,
): Promise<void> {
  const place = path.join(folder, name);
  const aside = path.join(folder, `.old-${randomBytes(6).toString("hex")}`);
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const had = await rename(place, aside).then(
    () => true,
    () => false,
  );
  try {
    await rename(staging, place);
    await work();
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    if (had) await rename(aside, place);
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}
