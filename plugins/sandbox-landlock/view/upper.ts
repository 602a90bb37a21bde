import { isUtf8 } from "node:buffer";
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from "node:fs";
import { overlayNotes } from "./attributes.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Folders within folders; each is open while what lies in it is read. */
const MOST_DEEP = 200;

/** An entry that a run left in its layer. `gone`: the workspace's entry of that name is removed. */
export interface Left {
  readonly name: string;
  /** Relative to the layer, and so to the workspace. */
  readonly at: string;
  readonly kind: "file" | "folder" | "link" | "gone" | "other";
  readonly about: BigIntStats;
  /**
   * By the overlay: `opaque` of a folder that hides the one below, `origin` of what was copied up.
   */
  readonly notes: readonly string[];
  /** The target of a link. */
  readonly target?: string;
  readonly children: readonly Left[];
  /** Why what lies here cannot be told; such things stay in the layer. */
  readonly unreadable?: string;
}

/**
 * Reads the layer of a run whose processes are all dead, as something that an enemy wrote: nothing
 * is followed, and nothing is told from a name but where it lies. Throws if the layer itself cannot
 * be read.
 */
export function readLayer(folder: string): readonly Left[] {
  // A run may have closed it.
  chmodSync(folder, 0o700);
  const { children, unreadable } = readFolder(folder, "");
  if (unreadable !== undefined) throw new Error(`the layer cannot be read: ${unreadable}`);
  return children;
}

/** The content of a folder, and of all folders beneath it. */
type Folder = Pick<Left, "children" | "unreadable">;

/** Reads a folder, which is not followed if it is a link. `at`: its path relative to the layer. */
function readFolder(full: string, at: string, depth = 0): Folder {
  if (depth > MOST_DEEP) return { children: [], unreadable: "it lies too deep" };
  let fd;
  try {
    fd = openSync(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    return { children: [], unreadable: `it is closed (${(error as NodeJS.ErrnoException).code})` };
  }
  try {
    const here = `/proc/self/fd/${fd}`;
    return {
      children: readdirSync(here, { encoding: "buffer" }).map((name) => readOne(here, name, at, depth)),
    };
  } finally {
    closeSync(fd);
  }
}

function readOne(here: string, bytes: Buffer, around: string, depth: number): Left {
  const full = Buffer.concat([Buffer.from(`${here}/`), bytes]);
  const name = bytes.toString();
  const at = around === "" ? name : `${around}/${name}`;
  const about = lstatSync(full, { bigint: true });
  const base = { name, at, about, notes: [] as readonly string[], children: [] as readonly Left[] };
  if (!isUtf8(bytes)) return { ...base, kind: "other", unreadable: "its name is not UTF-8" };
  if (about.isCharacterDevice() && about.rdev === 0n) return { ...base, kind: "gone" };
  if (about.isSymbolicLink()) return { ...base, kind: "link", target: readlinkSync(full) };
  if (about.isFile()) return { ...base, kind: "file", notes: overlayNotes(full.toString()) };
  if (!about.isDirectory()) return { ...base, kind: "other" };
  const notes = overlayNotes(full.toString());
  return { ...base, kind: "folder", notes, ...readFolder(full.toString(), at, depth + 1) };
}
