import {
  type Stats,
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  utimesSync,
} from "node:fs";
import { constants as os } from "node:os";
import path from "node:path";
import { isInside } from "@gantry/sdk/node";
import type { View } from "./view-facts.ts";

const { EXDEV, EIO } = os.errno;
const MODE = 0o1777;
const OPEN = 0o700;
const SLASH = Buffer.from("/");

/**
 * Does what rename(2) does with a folder, in the view that the calling thread is in. An overlay
 * refuses that to a folder of its lower layer, but renames files: so a new folder is made, and the
 * content moves there. Returns 0 or an error number; after an error all is in its old place.
 */
export function moveFolder(workspace: string, { hold }: View, from: string, to: string): number {
  try {
    renameSync(from, to);
    return 0;
  } catch (error) {
    const number = errnoOf(error);
    if (number !== EXDEV) return number;
  }
  try {
    const own = path.join(realpathSync(path.dirname(from)), path.basename(from));
    const isHeld = hold.some((name) => isInside(path.join(workspace, name), own));
    if (isHeld || ![from, to].every((at) => isOn(workspace, path.dirname(at)))) return EXDEV;
    if (lstatSync(to, { throwIfNoEntry: false })) rmdirSync(to);
    move(Buffer.from(from), Buffer.from(to));
    return 0;
  } catch (error) {
    return errnoOf(error);
  }
}

/** Returns true if the folder is not on another mount, each of which is another file system. */
const isOn = (workspace: string, folder: string): boolean => statSync(folder).dev === statSync(workspace).dev;

/** Throws with everything in its old place. */
function move(from: Buffer, to: Buffer): void {
  const about = lstatSync(from);
  mkdirSync(to, { mode: 0o700 });
  // The kernel would not ask for these rights.
  if ((about.mode & OPEN) !== OPEN) chmodSync(from, OPEN);
  try {
    for (const name of readdirSync(from, { encoding: "buffer" }))
      moveOne(within(from, name), within(to, name));
    rmdirSync(from);
  } catch (error) {
    for (const name of readdirSync(to, { encoding: "buffer" }))
      renameSync(within(to, name), within(from, name));
    rmdirSync(to);
    if ((about.mode & OPEN) !== OPEN) chmodSync(from, about.mode & MODE);
    throw error;
  }
  beLike(to, about);
}

function moveOne(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== EXDEV) throw error;
    move(from, to);
  }
}

function beLike(to: Buffer, { uid, gid, mode, atimeMs, mtimeMs }: Stats): void {
  const now = lstatSync(to);
  if (now.uid !== uid || now.gid !== gid) chownSync(to, uid, gid);
  chmodSync(to, mode & MODE);
  utimesSync(to, atimeMs / 1_000, mtimeMs / 1_000);
}

const within = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, SLASH, name]);

const errnoOf = (error: unknown): number => -((error as NodeJS.ErrnoException).errno ?? -EIO);
