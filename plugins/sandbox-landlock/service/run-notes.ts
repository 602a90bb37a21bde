import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { makeDir, processIdentity, shortHash } from "@gantry/sdk/node";
import { namesIn } from "../workspace/folders.ts";
import type { Before } from "../workspace/kept-files.ts";

const LOST = "lost";
const UNKNOWN = "unknown";
/** Where nothing is known, all counts as made by the run but what is older. */
const nothing: Before = { wasHeld: false, held: [], kept: [] };

/** A run that nobody looked after, and what was there before it. */
export interface LeftRun {
  readonly before: Before;
  /** When it began, in ms since 1970. */
  readonly began: number;
  /** It was looked after. */
  forget(): void;
}

/** That a run is under way, for whoever comes after this service. */
export interface RunNote {
  /** From now on it says what was there before. */
  tell(before: Before): void;
  /** The run was looked after. */
  end(): void;
  /** Its process is gone, and nobody looked. */
  lose(): void;
}

/**
 * Notes outside of every workspace about the runs in one, which outlive this service however it ends: for each run a file
 * without content, whose name says of which process it is and what was there before. That stands in a file of its own,
 * written once for all runs before which the same was there. What cannot be written is known to this service alone.
 */
export class RunNotes {
  readonly #folder: string;
  readonly #own = `${process.pid}-${shortHash(processIdentity(process.pid))}`;
  readonly #kept = new WeakMap<Before, string>();
  /** Those of this service, noted or not. */
  readonly #lost = new Map<string, LeftRun>();
  #isMade = false;

  /** `folder`: for notes of all workspaces. */
  constructor(folder: string, workspace: string) {
    this.#folder = path.join(folder, shortHash(workspace));
  }

  begin(before: Before | undefined): RunNote {
    const began = Date.now();
    const name = `${this.#own}-${process.hrtime.bigint()}`;
    let known = before;
    let at = this.#at(`${name}.${this.#keep(known)}`);
    attempt(() => writeFileSync(at, "", { mode: 0o600 }));
    const rename = (to: string): void => {
      attempt(() => renameSync(at, to));
      at = to;
    };
    const forget = (): void => {
      this.#lost.delete(name);
      attempt(() => rmSync(at, { force: true }));
    };
    return {
      tell: (told) => rename(this.#at(`${name}.${this.#keep((known = told))}`)),
      end: forget,
      lose: () => {
        rename(`${at}.${LOST}`);
        this.#lost.set(name, { before: known ?? nothing, began, forget });
      },
    };
  }

  /** Runs that were lost, of this service and of others that have gone. */
  left(): readonly LeftRun[] {
    const noted = namesIn(this.#folder).filter((name) => isNote(name) && !this.#isSeenTo(name));
    return [...this.#lost.values(), ...noted.map((name) => this.#read(name))];
  }

  #read(name: string): LeftRun {
    return {
      before: this.#beforeOf(name),
      began: statSync(this.#at(name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now(),
      forget: () => attempt(() => rmSync(this.#at(name), { force: true })),
    };
  }

  /** The name of the file that says so. */
  #keep(before: Before | undefined): string {
    this.#make();
    if (!before) return UNKNOWN;
    const text = JSON.stringify(before);
    const name = this.#kept.get(before) ?? createHash("sha256").update(text).digest("hex").slice(0, 32);
    this.#kept.set(before, name);
    attempt(() => {
      if (!existsSync(this.#at(name))) writeFileSync(this.#at(name), text, { mode: 0o600, flush: true });
    });
    return name;
  }

  #make(): void {
    if (this.#isMade) return;
    this.#isMade = true;
    attempt(() => {
      makeDir(this.#folder);
      for (const left of this.#unused()) rmSync(this.#at(left), { force: true });
    });
  }

  #beforeOf(name: string): Before {
    try {
      return JSON.parse(readFileSync(this.#at(name.split(".")[1]!), "utf8")) as Before;
    } catch {
      return nothing;
    }
  }

  /** True while it is under way, and where it is known here anyway. */
  #isSeenTo(name: string): boolean {
    const [pid, hash] = name.split("-");
    if (this.#lost.has(name.split(".")[0]!)) return true;
    if (name.endsWith(LOST)) return false;
    // One of another container, whose runs cannot be told from lost ones, does not count as under way.
    return name.startsWith(`${this.#own}-`) || shortHash(processIdentity(Number(pid))) === hash;
  }

  #unused(): readonly string[] {
    const names = namesIn(this.#folder);
    const used = new Set(names.filter(isNote).map((name) => name.split(".")[1]));
    return names.filter((name) => !isNote(name) && !used.has(name));
  }

  #at(name: string): string {
    return path.join(this.#folder, name);
  }
}

const isNote = (name: string): boolean => name.includes(".");

function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // A full disk, or one that is read only.
  }
}
