import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from "node:fs";
import { randomBytes } from "node:crypto";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
const O_PATH = 0x200000;

/** Looks at a folder that another process removes at the same time. */
const mostTries = 100;

/**
 * Removes a folder in which nobody works any more, with all in it: whatever modes a run gave, and
 * however deep it went, since each folder moves up before it is opened. Throws if something cannot
 * be removed.
 */
export function removeFolder(folder: string): void {
  for (let tries = 1; existsSync(folder); tries += 1) {
    try {
      removeOnce(folder);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (tries === mostTries || !["ENOENT", "ENOTEMPTY"].includes(code)) throw error;
    }
  }
}

function removeOnce(folder: string): void {
  openUp(folder);
  const root = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const word = randomBytes(4).toString("hex");
  let moved = 0;
  try {
    const left = clearFiles(root);
    for (let next = left.pop(); next; next = left.pop()) {
      const at = within(root, next);
      const fd = openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      try {
        for (const inner of clearFiles(fd)) {
          const name = Buffer.from(`${word}-${moved++}`);
          renameSync(within(fd, inner), within(root, name));
          left.push(name);
        }
      } finally {
        closeSync(fd);
      }
      rmdirSync(at);
    }
  } finally {
    closeSync(root);
  }
  rmdirSync(folder);
}

/** Removes what is not a folder, and opens what is to its owner. Returns the folders' names. */
function clearFiles(fd: number): Buffer[] {
  return readdirSync(`/proc/self/fd/${fd}`, { encoding: "buffer" }).filter((name) => {
    const at = within(fd, name);
    const isFolder = lstatSync(at).isDirectory();
    if (isFolder) openUp(at);
    else unlinkSync(at);
    return isFolder;
  });
}

/** Opens a folder to its owner; a link that has its name by now is not followed. */
function openUp(folder: string | Buffer): void {
  const fd = openSync(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    chmodSync(`/proc/self/fd/${fd}`, 0o700);
  } finally {
    closeSync(fd);
  }
}

const within = (fd: number, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), name]);
