import { randomBytes } from "node:crypto";
import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { plainFileBytes } from "../../shared/plain-file.ts";
import { aboutPath } from "./about-path.ts";

/** What of one file is remembered. */
export const MAX_FILE_BYTES = 1024 * 1024;
/** The names of what was set aside. */
const ASIDE = /\.taken-[\da-f]{12}$/;

/** A file as it was. */
export interface KeptFile {
  /** Tells whether it has to be read again. */
  readonly mark: string;
  readonly mode: number;
  /** What it held, or where it leads; undefined where that is too much to remember. */
  readonly content: Buffer | string | undefined;
}

/** What is at a path; `before` where that is what was there, undefined where nothing can be told. */
export function keepFile(at: string, before?: KeptFile, room = MAX_FILE_BYTES): KeptFile | undefined {
  try {
    const about = lstatSync(at, { bigint: true });
    const mark = markOf(about);
    const mode = Number(about.mode & 0o7777n);
    if (before?.mark === mark) return before;
    if (about.isSymbolicLink()) return { mark, mode, content: readlinkSync(at) };
    const small = about.isFile() && about.size <= Math.min(MAX_FILE_BYTES, room);
    return { mark, mode, content: small ? plainFileBytes(at, Number(about.size)) : undefined };
  } catch {
    return undefined;
  }
}

/** True where a path holds what was kept. */
export function isKept(at: string, kept: KeptFile): boolean {
  const now = keepFile(at, kept);
  if (!now || now === kept) return now === kept;
  if (now.mode !== kept.mode || now.content === undefined || kept.content === undefined) return false;
  return (
    Buffer.from(now.content).equals(Buffer.from(kept.content)) && typeof now.content === typeof kept.content
  );
}

/** Makes a kept file again where nothing stands; what cannot be made stays away. */
export function putFile(at: string, { mode, content }: KeptFile): void {
  try {
    mkdirSync(path.dirname(at), { recursive: true });
    if (typeof content === "string") return symlinkSync(content, at);
    if (content === undefined) return;
    writeFileSync(at, content, { flag: "wx", mode: 0o600 });
    chmodSync(at, mode);
  } catch {
    // The kernel held it, or something stands in its way; what was set aside is named all the same.
  }
}

/**
 * Renames a file within its folder, since what is mounted around it allows no other, and closes it, so that nothing takes it
 * up there. Gives a phrase for that.
 */
export function setAside(at: string, file: string): string {
  const to = `${at}.taken-${randomBytes(6).toString("hex")}`;
  const about = aboutPath(at);
  const what = `undone: a change of ${file}`;
  if (!about) return what;
  try {
    openFolder(path.dirname(at));
    renameSync(at, to);
    if (!about.isSymbolicLink()) chmodSync(to, 0);
    return `${what}, set aside as ${path.basename(to)}`;
  } catch (error) {
    return `NOT undone: a change of ${file} (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** True for what was set aside and is still closed. */
export function isSetAside(at: string): boolean {
  const about = aboutPath(at);
  const closed = about?.isSymbolicLink() || (about && (about.mode & 0o777n) === 0n);
  return ASIDE.test(at) && closed === true;
}

/** Differs from any other state of any file; empty where there is none. */
export function markAt(at: string): string {
  const about = aboutPath(at);
  return about ? markOf(about) : "";
}

/** Devices have other numbers after a restart of the machine, which a record outlives. */
function markOf({ ino, ctimeNs, size }: BigIntStats): string {
  return `${ino}:${ctimeNs}:${size}`;
}

/** A run may have closed the folder around what it made. */
export function openFolder(folder: string): void {
  const mode = lstatSync(folder).mode & 0o7777;
  if ((mode & 0o300) !== 0o300) chmodSync(folder, mode | 0o300);
}
