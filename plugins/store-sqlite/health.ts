import { statfs } from "node:fs/promises";
import path from "node:path";
import type { CheckRow } from "@gantry/sdk";
import type { Database } from "./database.ts";

/** Below this the next busy hour could fill the disk. */
const lowBytes = 64 * 1024 * 1024;

/** Whether what is accepted now is kept: something is written, on disk, and there is room for more. */
export async function readyRows(db: Database): Promise<readonly CheckRow[]> {
  const what = "store";
  try {
    const text =
      "INSERT INTO named (space, key, value) VALUES ('ready', '', ?) ON CONFLICT DO UPDATE SET value = ?";
    const now = JSON.stringify(Date.now());
    await db.commit((sql) => sql.run(text, now, now));
  } catch (error) {
    return [{ what, state: "fail", detail: (error as Error).message, cure: "See what the error says." }];
  }
  const { bavail, bsize } = await statfs(path.dirname(db.path));
  if (bavail * bsize >= lowBytes) return [{ what, state: "ok", detail: db.path }];
  const detail = `less than ${lowBytes / 1024 / 1024} MiB are free on the disk of ${db.path}`;
  return [{ what: "disk", state: "fail", detail, cure: "Free the disk." }];
}

/** Reads the whole file; told only where something is wrong. */
export async function doctorRows(db: Database): Promise<readonly CheckRow[]> {
  const what = "store file";
  const cure = "Stop the service, move the file away, and put back a copy: `gantry restore FILE`.";
  try {
    const [{ quick_check: found } = { quick_check: "nothing was read" }] = await db.read((sql) =>
      sql.all<{ quick_check: string }>("PRAGMA quick_check(1)"),
    );
    if (found === "ok") return [{ what, state: "ok", detail: `${db.path} is whole` }];
    return [{ what, state: "fail", detail: `${db.path} is damaged: ${found}`, cure }];
  } catch (error) {
    return [{ what, state: "fail", detail: (error as Error).message, cure }];
  }
}
