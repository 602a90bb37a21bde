import { statSync } from "node:fs";
import type { CheckRow } from "@gantry/sdk";
import { mayAcknowledge } from "./acknowledged.ts";
import type { Anchors } from "./anchors.ts";
import { segmentsOf } from "./segments.ts";
import { verify, type Problem } from "./verify.ts";

/**
 * A log that only grows is read again this often. Any other change of a file is read at once, and
 * so is a record that acknowledges what is missing.
 */
const againMs = 10 * 60_000;

export const cures = {
  gap: "find out who took them away; where that was in order, `gantry audit acknowledge REASON`",
  changed: "keep the file as it is and find out who could write there",
};

export function sentenceOf({ file, line, what }: Problem): string {
  return `${file}, line ${line}: ${what}`;
}

/** The facts that are known of the files without reading them. */
interface Files {
  /** The files that were put away. */
  readonly away: string;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Watches that the audit log is as it was written, while the service runs: reads all of it at the
 * first look and whenever a file has changed otherwise than by growing.
 */
export class WatchedChain {
  readonly #log: string;
  readonly #anchors: Anchors;
  #seen: Files | undefined;
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;
  /** Undefined until it was read once; null for a chain that holds. */
  #problem: Problem | null | undefined;

  constructor(log: string, anchors: Anchors) {
    [this.#log, this.#anchors] = [log, anchors];
  }

  /** Returns what is known, without waiting for a log that is being read. */
  async rows(): Promise<readonly CheckRow[]> {
    this.#look();
    const what = "audit";
    if (this.#problem === undefined) return [];
    if (this.#problem === null) return [{ what, state: "ok", detail: this.#log }];
    const cure = this.#problem.gap ? cures.gap : cures.changed;
    return [{ what, state: "warn", detail: `${sentenceOf(this.#problem)}: ${cure}`, cure }];
  }

  #look(): void {
    if (this.#reading) return;
    const now = filesOf(this.#log);
    const before = this.#seen;
    const isFresh = performance.now() - this.#readAt < againMs;
    if (before && JSON.stringify(before) === JSON.stringify(now) && (isFresh || !this.#problem)) return;
    if (before && isFresh && hasGrown(before, now) && !this.#mayBeOver(before.size)) return;
    this.#seen = now;
    this.#readAt = performance.now();
    this.#reading = this.#read().finally(() => (this.#reading = undefined));
  }

  #mayBeOver(read: number): boolean {
    return this.#problem?.gap !== undefined && mayAcknowledge(this.#log, read);
  }

  /** A log that cannot be read now is read at the next look. */
  async #read(): Promise<void> {
    try {
      this.#problem = (await verify(this.#log, await this.#anchors.known())).problem ?? null;
    } catch {
      this.#seen = undefined;
    }
  }
}

function factsOf(path: string): Omit<Files, "away"> {
  const { ino = 0, size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return { ino, size, mtimeMs };
}

function filesOf(log: string): Files {
  const away = segmentsOf(log).map(({ path }) => [path, factsOf(path)]);
  return { away: JSON.stringify(away), ...factsOf(log) };
}

function hasGrown(before: Files, now: Files): boolean {
  return before.away === now.away && before.ino === now.ino && now.size > before.size;
}
