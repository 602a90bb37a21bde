import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { errors } from "./errors.ts";

const form = /^gantry-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.backup$/;

/** A whole backup: nothing else has such a name. */
export interface Made {
  readonly file: string;
  /** Unix ms. */
  readonly at: number;
}

/** Returns the name of a backup of this time (Unix ms). */
export function nameOf(at: number): string {
  return `gantry-${new Date(at).toISOString().replaceAll(/[:.]/g, "-")}.backup`;
}

/** Returns the name that a backup has until it is whole. */
export function draftOf(name: string): string {
  return `.${name}.tmp`;
}

/** Returns the backups, oldest first. Throws BACKUP_FOLDER. */
export async function madeIn(folder: string): Promise<readonly Made[]> {
  const made = (await namesIn(folder)).flatMap((name) => {
    const [, day, hour, minute, second, ms] = form.exec(name) ?? [];
    const at = Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`);
    return Number.isNaN(at) ? [] : [{ file: path.join(folder, name), at }];
  });
  return made.toSorted((a, b) => a.at - b.at);
}

/** Removes all but the newest `keep` of those that are not dated later than `now` (Unix ms). */
export async function rotate(folder: string, keep: number, now: number): Promise<void> {
  const made = (await madeIn(folder)).filter(({ at }) => at <= now);
  for (const { file } of made.slice(0, -keep)) await rm(file, { force: true });
}

/** Removes what a killed process left of a backup that never was whole. */
export async function sweep(folder: string, isLeft: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(folder))
    if (isLeft(name)) await rm(path.join(folder, name), { force: true });
}

/** True for a draft of {@link draftOf}. */
export function isDraft(name: string): boolean {
  return name.startsWith(".") && name.endsWith(".tmp") && form.test(name.slice(1, -".tmp".length));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw errors.BACKUP_FOLDER(folder, error.code ?? error.message);
  });
}
