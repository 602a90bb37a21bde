import { lstatSync } from "node:fs";
import { EMPTY_FILE, EMPTY_FOLDER, isOfView, targetOf, withFolders } from "./mask-paths.ts";
import { ATTR_RDONLY, bind, mountPoints, restrictMount } from "../kernel/mounts.ts";
import type { Found } from "./workspace-walk.ts";

/** A workspace that changes faster than it can be covered serves no run; each looks again. */
const ATTEMPTS = 5;

/**
 * Lays masks over secret and guarded files, until a look finds none bare. Landlock cannot take away
 * beneath what it grants, so these are mounts of this process' own: an empty file over a secret
 * one, a read-only view over a guarded one. Each folder on the way becomes a mount too, which the
 * kernel neither moves nor replaces, so no run hides a file from a later look. Returns what is
 * covered; undefined if the workspace does not hold still, or more than `most` would be.
 */
export function layMasks(root: string, find: () => Found, most: number): Found | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const covered = mountPoints(process.pid);
    const found = find();
    const secret = found.secret.flatMap((at) => targetOf(root, at));
    const guarded = found.guarded.flatMap((at) => targetOf(root, at));
    const wanted = [...secret, ...guarded];
    if (wanted.length > most) return undefined;
    const bare = [...new Set(wanted.flatMap(withFolders))].filter((at) => !covered.has(at) && !isOfView(at));
    const open = secret.filter((at) => !isOfView(at));
    if (bare.length + open.length === 0) return found;
    const laid = [...new Set([...bare, ...open])].toSorted((a, b) => a.length - b.length);
    for (const at of laid) cover(at, secret.includes(at), guarded.includes(at));
  }
  return undefined;
}

/** Covers a file or folder; the next look finds bare what moves meanwhile. */
function cover(at: string, secret: boolean, guarded: boolean): void {
  try {
    const folder = lstatSync(at).isDirectory();
    bind(secret ? (folder ? EMPTY_FOLDER : EMPTY_FILE) : at, at);
    if (guarded && !secret) restrictMount(at, ATTR_RDONLY);
  } catch {
    // It has gone, or has no place for a mount.
  }
}
