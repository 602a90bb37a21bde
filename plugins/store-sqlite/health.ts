import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { errors as shared, type CheckRow, type GantryError } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";

const mib = 1024 * 1024;

/**
 * Returns whether what is accepted now is kept: something is written, on disk, and there is room
 * for more. Only a write that worked says that the store does. A write that fails on a full disk is
 * the disk's trouble, and says nothing of the store.
 */
export async function readyRows(
  db: Database,
  minFreeMb: number,
  freeBytes: (folder: string) => Promise<number> = freeIn,
): Promise<readonly CheckRow[]> {
  const isLow = (await freeBytes(path.dirname(db.path))) < minFreeMb * mib;
  const detail = `less than ${minFreeMb} MiB are free on the disk of ${db.path}`;
  const disk: CheckRow = isLow
    ? { what: "disk", state: "fail", detail, cure: "Free the disk." }
    : { what: "disk", state: "ok", detail: db.path };
  try {
    const text =
      "INSERT INTO named (space, key, value) VALUES ('ready', '', ?) ON CONFLICT DO UPDATE SET value = ?";
    const now = JSON.stringify(Date.now());
    await db.commit((sql) => sql.run(text, now, now));
  } catch (error) {
    if (isLow) return [disk];
    const failed = (error as Error).message;
    return [{ what: "store", state: "fail", detail: failed, cure: "See what the error says." }];
  }
  return [{ what: "store", state: "ok", detail: db.path }, disk];
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Tells whether the store has room and may write; only if something is wrong. */
export async function diskRows(db: Database, minFreeMb: number): Promise<readonly CheckRow[]> {
  const what = "disk";
  const folder = await nearestFolder(path.dirname(db.path));
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === "EROFS";
    const why = isReadOnly ? "the disk is read-only" : "this user may not write there";
    const cure = isReadOnly ? "Mount it writable again." : "Give the folder to the user of the service.";
    return [{ what, state: "fail", detail: `nothing can be kept in ${folder}: ${why}`, cure }];
  }
  const free = await freeIn(folder);
  if (free >= minFreeMb * mib) return [];
  const left = `${Math.floor(free / mib)} MiB are free on the disk of ${folder}`;
  const cure = `Free the disk: under ${minFreeMb} MiB the service is not ready, and a full disk takes no message.`;
  return [{ what, state: "warn", detail: left, cure }];
}

/** Before the first start the folder of the store is not there yet. */
async function nearestFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found || path.dirname(folder) === folder ? folder : nearestFolder(path.dirname(folder));
}

/** Reads the whole file. A disk that is full or read-only says nothing about the file. */
export async function doctorRows(db: Database): Promise<readonly CheckRow[]> {
  const what = "store file";
  const cure = "Stop the service and put back a copy, this one goes aside: `gantry restore FILE`.";
  try {
    const [{ quick_check: found } = { quick_check: "nothing was read" }] = await db.read((sql) =>
      sql.all<{ quick_check: string }>("PRAGMA quick_check(1)"),
    );
    if (found === "ok") return [{ what, state: "ok", detail: `${db.path} is whole` }];
    return [{ what, state: "fail", detail: `${db.path} is damaged: ${found}`, cure }];
  } catch (error) {
    const { code, message } = error as GantryError;
    // Told by `doctor` itself, once for all that it keeps from answering.
    if ([shared.STORE_FAILED.code, shared.STORE_HELD.code].includes(code)) throw error;
    // Its sentence names the cure.
    if ([shared.STORE_NEWER.code, errors.STORE_WITHOUT_FILE.code].includes(code))
      return [{ what, state: "fail", detail: message }];
    return [{ what, state: "fail", detail: message, cure }];
  }
}
