/** Bytes of an index that are looked at: a repository of some 300,000 files. */
export const MAX_INDEX_BYTES = 32 * 1024 * 1024;
const MOST_ENTRIES = 400_000;

/** Bytes before an entry's object id: times, device, inode, mode, owners and size. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const LENGTH = 0xfff;
const OBJECT_ID_BYTES = { sha1: 20, sha256: 32 } as const;
export type ObjectFormat = keyof typeof OBJECT_ID_BYTES;

/** One name that git knows, as it would write it at the next checkout. */
export interface IndexEntry {
  readonly name: string;
  /** True if git would make a link of it. */
  readonly isLink: boolean;
  /** Mode, object and the name's bytes: the same for what a checkout writes alike. */
  readonly print: string;
}

interface Name {
  readonly bytes: Buffer;
  /** The offset of the next entry. */
  readonly end: number;
}

/**
 * Returns the entries of a file `index` or `sharedindex.*` of git, of version 2, 3 or 4; undefined
 * for anything else, and for an index that git might read in another way. Extensions are not read.
 */
export function readGitIndex(bytes: Buffer, format: ObjectFormat): readonly IndexEntry[] | undefined {
  const idBytes = OBJECT_ID_BYTES[format];
  const end = bytes.length - idBytes;
  if (bytes.length > MAX_INDEX_BYTES || end < 12 || bytes.toString("latin1", 0, 4) !== "DIRC")
    return undefined;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4 || count > MOST_ENTRIES || hasOffsets(bytes, idBytes)) return undefined;
  const entries: IndexEntry[] = [];
  let at = 12;
  let before: Buffer = Buffer.alloc(0);
  for (let read = 0; read < count; read++) {
    const flagsAt = at + STAT_BYTES + idBytes;
    if (flagsAt + 4 > end) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const nameAt = flagsAt + ((flags & EXTENDED) === 0 ? 2 : 4);
    const body = bytes.subarray(0, end);
    const name = version === 4 ? shortened(body, nameAt, before) : padded(body, at, nameAt);
    if (!name || Math.min(name.bytes.length, LENGTH) !== (flags & LENGTH)) return undefined;
    entries.push(entryOf(bytes, at, idBytes, name.bytes));
    before = name.bytes;
    at = name.end;
  }
  return entries;
}

function entryOf(bytes: Buffer, at: number, idBytes: number, name: Buffer): IndexEntry {
  const mode = bytes.readUInt32BE(at + MODE_AT);
  const id = bytes.toString("hex", at + STAT_BYTES, at + STAT_BYTES + idBytes);
  return {
    name: name.toString("utf8"),
    isLink: (mode & 0o170000) === 0o120000,
    print: `${mode.toString(8)} ${id} ${name.toString("latin1")}`,
  };
}

/** Versions 2 and 3 fill an entry up with zeros to a multiple of eight bytes. */
function padded(bytes: Buffer, at: number, nameAt: number): Name | undefined {
  const stop = bytes.indexOf(0, nameAt);
  const end = at + ((stop - at + 8) & ~7);
  return stop < 0 || end > bytes.length ? undefined : { bytes: bytes.subarray(nameAt, stop), end };
}

/**
 * Reads a name of version 4, which says how many bytes of the name before are left out, and what
 * follows the rest.
 */
function shortened(bytes: Buffer, nameAt: number, before: Buffer): Name | undefined {
  let at = nameAt;
  let byte = bytes[at++] ?? 0;
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes[at++] ?? 0;
    dropped = (dropped + 1) * 128 + (byte & 0x7f);
    if (dropped > before.length) return undefined;
  }
  const stop = bytes.indexOf(0, at);
  if (stop < 0 || dropped > before.length) return undefined;
  const kept = before.subarray(0, before.length - dropped);
  return { bytes: Buffer.concat([kept, bytes.subarray(at, stop)]), end: stop + 1 };
}

/**
 * Returns true if there is an extension `IEOT`, which `EOIE` at the end leads to: several threads
 * of git begin at its offsets.
 */
function hasOffsets(bytes: Buffer, idBytes: number): boolean {
  const at = bytes.length - idBytes - (4 + 4 + 4 + idBytes);
  return at >= 12 && bytes.toString("latin1", at, at + 4) === "EOIE" && bytes.includes("IEOT");
}

/** Not seen by HFS+ in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** As file systems of other systems take it for `.git` too. */
const GIT = /^(?:\.git|git~1)[ .]*(?::.*)?$/is;

/**
 * Returns true for a name by which a checkout would write outside of its tree, or into the
 * repository.
 */
export function leavesTree(name: string): boolean {
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return true;
  return name
    .replace(IGNORED, "")
    .split(/[/\\]/)
    .some((part) => GIT.test(part));
}
