import { randomBytes } from "node:crypto";
import { type Stats, lstatSync, readlinkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { NameTest } from "@gantry/sdk/node";
import { openFolder } from "./kept-file.ts";
import { isOfView } from "./mask-paths.ts";
import { entriesOf } from "./folders.ts";

/** The clock of a file system is behind by less than this. */
const SETTLED_MS = 50;
/** A longer name is cut, since one has at most 255 bytes. */
const KEPT_BYTES = 230;
/** A mount of this process lies there, as it did during the run, which could change nothing. */
const HELD = ["EBUSY", "EROFS"];

const NAME = /\.withheld-[\da-f]{12}(?:\.|$)/;

/** Thrown where something cannot be withheld, so that nothing may run. */
export class NotWithheld extends Error {
  readonly path: string;
  constructor(at: string, reason: string) {
    super(reason);
    this.path = at;
  }
}

/** Of a workspace. */
export interface Watched {
  readonly root: string;
  /** What of it runs may open, "" for all. */
  readonly open: readonly string[];
  /** True where masks lie; elsewhere everything may be on the root's device. */
  readonly masks: boolean;
  /** These stay: no run reads them by their names. */
  readonly isSecret: NameTest;
  /** True for a folder that stood there before. */
  wasThere(relative: string, inode: number): boolean;
}

/**
 * Withholds whatever changed since a time, since a run may have moved a secret file there, or written down what stands in
 * one: each gets a name beside its own that counts as secret. The time of a change is the kernel's, and no run sets it; a
 * file that is moved or linked has changed too. Gives the old names; throws NotWithheld.
 */
export function withhold(
  { root, open, masks, isSecret, wasThere }: Watched,
  since: number,
): readonly string[] {
  const withheld: string[] = [];
  const left = open.map((at) => ({ at, inLate: false }));
  for (let one = left.pop(); one; one = left.pop()) {
    const { at, inLate } = one;
    const full = path.join(root, at);
    const about = lstatSync(full, { throwIfNoEntry: false });
    if (!about || (at !== "" && (isSecret(at, about.isDirectory()) || (masks && isOfView(full))))) continue;
    const beneath = about.isDirectory() ? namesIn(full).map(({ name }) => path.join(at, name)) : [];
    const isNew = at !== "" && !(about.isDirectory() && wasThere(at, about.ino));
    const isLate = isNew && (inLate || about.ctimeMs > since - SETTLED_MS);
    // A folder that its owner made for a secret file keeps its name.
    if (isLate && !beneath.some((name) => isSecret(name)) && rename(full, about)) withheld.push(at);
    else left.push(...beneath.map((name) => ({ at: name, inLate: isLate })));
  }
  return withheld;
}

/** True for what was withheld and for what lies in it, until its owner gives it another name. */
export function isWithheld(relative: string): boolean {
  return relative.split("/").some((name) => NAME.test(name));
}

/** False where the kernel held it. */
function rename(at: string, about: Stats): boolean {
  const folder = path.dirname(at);
  const name = Buffer.from(path.basename(at))
    .toString("utf8", 0, KEPT_BYTES)
    .replace(/\uFFFD$/, "");
  const to = path.join(folder, `${name}.withheld-${randomBytes(6).toString("hex")}`);
  try {
    openFolder(folder);
    if (!about.isSymbolicLink()) renameSync(at, to);
    else {
      // No mask lies over a link, and where it leads is a text too.
      writeFileSync(to, readlinkSync(at), { flag: "wx", mode: 0o600 });
      unlinkSync(at);
    }
    return true;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && !HELD.includes(code)) throw new NotWithheld(at, code);
    return false;
  }
}

function namesIn(folder: string): ReturnType<typeof entriesOf> {
  try {
    return entriesOf(folder);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ENOTDIR"].includes(code)) return [];
    throw new NotWithheld(folder, code);
  }
}
