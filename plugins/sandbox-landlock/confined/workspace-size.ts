import { type Dirent, lstatSync, readdirSync } from "node:fs";
import path from "node:path";

const LOOK_MS = 200;
/** Measuring takes at most one part in this many of the time. */
const PARTS = 20;
const MIB = 1024 * 1024;
const BLOCK_BYTES = 512;
/** An empty file, a folder and a link take room too, of which a disk has less than of blocks. */
export const LEAST_BYTES = 4096;

/**
 * The size of a workspace against its limit. It is measured file by file, the less often the longer
 * that takes: the free space of a file system would not tell, since others fill and empty it too.
 */
export class WorkspaceSize {
  readonly #roots: readonly string[];
  readonly #most: number;
  readonly #workspace = new Measured();
  /** The size of a run's layer; undefined if there is none. */
  #layer: Measured | undefined;
  #layers: readonly string[] = [];

  /** `roots`: the parts of it that can be looked at. */
  constructor(roots: readonly string[], mb: number) {
    this.#roots = roots;
    this.#most = mb * MIB;
  }

  /**
   * Counts what a run has in its layer, until that is over and the workspace's; undefined: none.
   */
  withLayer(folder: string | undefined): void {
    if (this.#layer) this.#workspace.add(this.#layer);
    this.#layer = folder === undefined ? undefined : new Measured();
    this.#layers = folder === undefined ? [] : [folder];
  }

  /** Returns the bytes that it may still take; below zero if it holds too much. */
  left(): number {
    const layer = this.#layer?.bytes(this.#layers, this.#most) ?? 0;
    return this.#most - layer - this.#workspace.bytes(this.#roots, this.#most - layer);
  }

  /** Calls `stop`, with the reason, once it is full. Returns a function that ends the watch. */
  watch(stop: (why: string) => void): () => void {
    const timer = setInterval(() => {
      if (this.left() > 0) return;
      clearInterval(timer);
      stop(`the workspace holds more than ${this.#most / MIB} MiB (runtime.max_workspace_mb)`);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }
}

/** The size of some folders when they were last measured. */
class Measured {
  #bytes = 0;
  #due = Number.NEGATIVE_INFINITY;

  /** Counts what another one last held, until this is measured again. */
  add(other: Measured): void {
    this.#bytes += other.#bytes;
  }

  /** Measures again if that is due, or if it was `most` or more. */
  bytes(folders: readonly string[], most: number): number {
    const began = performance.now();
    if (began < this.#due && this.#bytes < most) return this.#bytes;
    const counted = new Set<string>();
    this.#bytes = folders.reduce((sum, folder) => sum + bytesIn(folder, counted), 0);
    const ended = performance.now();
    this.#due = ended + Math.max(LOOK_MS, (ended - began) * PARTS);
    return this.#bytes;
  }
}

/**
 * Returns the bytes that files and folders take on disk; a file with several names counts once.
 * Leaves out what cannot be read.
 */
function bytesIn(folder: string, counted: Set<string>): number {
  let bytes = LEAST_BYTES;
  for (const entry of entriesOf(folder)) {
    const at = path.join(folder, entry.name);
    const about = entry.isDirectory() ? undefined : lstatSync(at, { throwIfNoEntry: false });
    if (!about) bytes += bytesIn(at, counted);
    else if (about.nlink === 1 || !counted.has(`${about.dev}:${about.ino}`)) {
      if (about.nlink > 1) counted.add(`${about.dev}:${about.ino}`);
      bytes += Math.max(LEAST_BYTES, about.blocks * BLOCK_BYTES);
    }
  }
  return bytes;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
