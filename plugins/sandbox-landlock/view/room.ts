import { eachFolder } from "./each-folder.ts";
import { RunFolder } from "./run-folder.ts";

const DAYS = 14;
const MOST_BYTES = 1024 * 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

/**
 * Removes what is kept of runs beyond its time and room, the oldest first; one that was not looked
 * at yet stays.
 */
export function makeRoom(runs: string, now = Date.now()): readonly string[] {
  let room = MOST_BYTES;
  return eachFolder(RunFolder.all(runs), (folder) => {
    const record = folder.read();
    if (record?.steps === undefined) return;
    room -= folder.bytes();
    if (room < 0 || now - record.began > DAYS * DAY_MS) folder.remove();
  });
}
