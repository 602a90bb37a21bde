import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errors as shared, mediaBounds, type Media } from "@gantry/sdk";
import { mediaRef } from "@gantry/sdk/fill";
import { makeDir, replaceFile } from "@gantry/sdk/node";
import type { Database } from "./database.ts";
import { addMedia, countBrought, forgetUnused, isKept } from "./media-rows.ts";

const sweepMs = 3_600_000;

/**
 * Media as files, each named by its SHA-256; the database knows who names them. A row is there
 * before its file, and gone before it: a process that dies in between leaves a row, which the next
 * sweep or the next put brings in order.
 */
export function createMedia(db: Database, folder: string): Media & { dropUnused(): Promise<void> } {
  const place = (id: string): string => join(folder, id);
  // Putting and taking away take turns, so that nothing is taken away that was just put again.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  };
  let sweepAt = 0;

  const dropUnused = async (): Promise<void> => {
    sweepAt = Date.now() + sweepMs;
    const unused = await db.commit((sql) => forgetUnused(sql, Date.now()));
    for (const id of unused) {
      await inTurn(async () => {
        if (!(await db.read((sql) => isKept(sql, id)))) await rm(place(id), { force: true });
      });
    }
  };

  return {
    dropUnused,
    async put(bytes, facts) {
      const id = createHash("sha256").update(bytes).digest("hex");
      const ref = mediaRef(id, bytes, facts);
      const { user } = facts;
      if (Date.now() > sweepAt) await dropUnused();
      await inTurn(async () => {
        const allowed = await db.commit((sql) => {
          const now = Date.now();
          if (user && !countBrought(sql, user, bytes.length, mediaBounds.perHour, now)) return false;
          addMedia(sql, id, now);
          return true;
        });
        if (!allowed) throw shared.MEDIA_TOO_MUCH(user, mediaBounds.perHour);
        await writeOnce(folder, place(id), bytes);
      });
      return ref;
    },
    async open(id) {
      if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
      return readFile(place(id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw shared.STORE_FAILED(place(id), error.code);
      });
    },
  };
}

/**
 * On disk under its name when it resolves, or not there at all; a file of this size is the same
 * file.
 */
async function writeOnce(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.size === bytes.length) return;
  try {
    makeDir(folder);
    await replaceFile(file, bytes);
  } catch (error) {
    throw shared.STORE_FAILED(file, (error as NodeJS.ErrnoException).code ?? String(error));
  }
}
