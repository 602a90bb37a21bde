import type { RunResult, Untried } from "@gantry/sdk";
import { eachFolder } from "./each-folder.ts";
import { type Held, NOT_SHOWN, printOf } from "./held.ts";
import type { Names } from "./judge.ts";
import type { KeeperFacts, ToHold } from "./keeper-facts.ts";
import { RunFolder, type RunRecord } from "./run-folder.ts";
import { showLayer } from "./show-layer.ts";
import { planFor } from "./take-over.ts";
import { readLayer } from "./upper.ts";

/** The most that waits in one workspace at a time. */
const MOST_HELD = 16;
const MOST_BYTES = 1024 * 1024 * 1024;

export interface Run {
  readonly folder: RunFolder;
  readonly record: RunRecord;
  /** Undefined if nobody was shown it. */
  readonly held?: Held;
}

/** Runs that have ended and wait for a decision. */
export class Holding {
  readonly #runs: string;
  readonly #names: Names;
  readonly #mostBytes: number;

  constructor({ runs, mostHeldBytes = MOST_BYTES }: KeeperFacts, names: Names) {
    this.#runs = runs;
    this.#names = names;
    this.#mostBytes = mostHeldBytes;
  }

  /** Returns the run that waits under a key and whose service has gone; this one takes it up. */
  find(key: string): Held | Untried | undefined {
    const all = this.#all();
    const found = all.find(({ folder, held }) => held.key === key && folder.isOf() === "nobody");
    if (found) {
      found.folder.claim();
      return found.held;
    }
    const full = this.#full();
    return full === undefined ? undefined : { untried: full };
  }

  /**
   * Returns why nothing more is held; undefined if there is room for another run with this many
   * bytes.
   */
  #full(bytes = 0): string | undefined {
    const all = this.#all();
    if (all.length >= MOST_HELD) return `${MOST_HELD} commands wait for a decision already`;
    const sum = all.reduce((before, { folder }) => before + folder.bytes(), bytes);
    return sum > this.#mostBytes ? "what it and others did is too large to be held" : undefined;
  }

  async hold({ folder, record }: Run, result: RunResult, { key, forMs }: ToHold): Promise<Held | Untried> {
    // Whatever is done in the layer from now on has a later time than all in there.
    folder.after();
    const left = readLayer(folder.upper);
    const plan = planFor(folder, record, this.#names, left);
    const places = { workspace: this.#names.workspace, upper: folder.upper };
    const shown = await showLayer(plan, left, places);
    // Others may have been held meanwhile.
    const full = this.#full(folder.bytes());
    if (full !== undefined) {
      folder.remove();
      return { untried: full };
    }
    const own = { id: folder.id, key, until: Date.now() + forMs };
    const of = { ...own, result, print: printOf(left), steps: plan.steps };
    const held: Held = { ...of, ...shown };
    folder.hold(held, record);
    return held;
  }

  /** Gives a run back, so that it is taken over. Throws why it cannot be. */
  release(id: string): Run {
    const folder = RunFolder.find(this.#runs, id);
    const [record, held] = [folder?.read(), folder?.held];
    if (!folder || !record || !held) throw new Error("it is not held any more");
    if (printOf(readLayer(folder.upper)) !== held.print) {
      folder.remove();
      throw new Error(NOT_SHOWN);
    }
    folder.release();
    return { folder, record, held };
  }

  drop(id: string): void {
    const folder = RunFolder.find(this.#runs, id);
    if (folder?.held) folder.remove();
  }

  /** Removes what waits longer than anybody may decide. Returns the ms until the next is due. */
  sweep(): number | undefined {
    const now = Date.now();
    const due: number[] = [];
    const all = new Map(this.#all().map(({ folder, held }) => [folder, held.until]));
    eachFolder([...all.keys()], (folder) => {
      const until = all.get(folder)!;
      if (until > now) due.push(until - now);
      else if (folder.isOf() !== "others") folder.remove();
    });
    return due.length === 0 ? undefined : Math.min(...due);
  }

  #all(): readonly { readonly folder: RunFolder; readonly held: Held }[] {
    return RunFolder.all(this.#runs).flatMap((folder) => {
      const { held } = folder;
      return held ? [{ folder, held }] : [];
    });
  }
}

/** Returns true if a person may decide on it yet. */
export const isAwaited = ({ held }: RunFolder): boolean => held !== undefined && held.until > Date.now();
