import { writeSync } from "node:fs";

const CAPACITY = 1024;
const PER_RUN = 128;
/** From here on the dead are looked for, so that their numbers do not stay here longer than they must. */
const LOOK_AT = 16;
const LINE = 12;

/**
 * Which process groups belong to which run, shared by the threads and, as lines of a file, by the guardian. A run is named
 * by its first group; each later group is added before the kernel makes it, so that the table is never behind the kernel.
 */
export class Groups {
  /** [group, run] by slot; a run below zero is being ended and makes no new groups. */
  readonly #cells: Int32Array;
  readonly #ledger: number | undefined;

  /** `ledger`: a descriptor that the guardian reads when the service is gone. */
  constructor(memory: SharedArrayBuffer, ledger?: number) {
    this.#cells = new Int32Array(memory);
    this.#ledger = ledger;
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(CAPACITY * 8);
  }

  /** False where the run is being ended or has too many groups that live. */
  add(group: number, run: number): boolean {
    const before = this.runOf(group);
    if (Math.abs(before) === run) return before === run;
    // The number was given to a new process, so nothing is left of the group that had it.
    if (before !== 0) this.#drop(group);
    if (group !== run && this.runOf(run) !== run) return false;
    if (this.of(run).length >= LOOK_AT) this.#dropDead(run);
    const slot = this.#first(0);
    if (slot < 0 || this.of(run).length >= PER_RUN) return false;
    this.#set(slot, group, run);
    return true;
  }

  /** The run of a group, negative while it is being ended, 0 for a group of nobody. */
  runOf(group: number): number {
    for (let slot = 0; slot < CAPACITY; slot++) {
      if (this.#cells[slot * 2] === group && this.#cells[slot * 2 + 1] !== 0) return Atomics.load(this.#cells, slot * 2 + 1);
    }
    return 0;
  }

  of(run: number): readonly number[] {
    return this.#slotsOf(run).map((slot) => Atomics.load(this.#cells, slot * 2));
  }

  /** Every run there is. */
  runs(): readonly number[] {
    const found = new Set<number>();
    for (let slot = 0; slot < CAPACITY; slot++) found.add(Math.abs(Atomics.load(this.#cells, slot * 2 + 1)));
    found.delete(0);
    return [...found];
  }

  /** From here on the run makes no new group. */
  doom(run: number): void {
    for (const slot of this.#slotsOf(run)) Atomics.store(this.#cells, slot * 2 + 1, -run);
  }

  forget(run: number): void {
    for (const slot of this.#slotsOf(run)) this.#set(slot, 0, 0);
  }

  #dropDead(run: number): void {
    for (const slot of this.#slotsOf(run)) {
      const group = Atomics.load(this.#cells, slot * 2);
      // A group whose first process lives may be about to be made.
      if (group !== run && !signalGroup(group, 0) && !signalGroup(-group, 0)) this.#set(slot, 0, 0);
    }
  }

  #drop(group: number): void {
    for (let slot = 0; slot < CAPACITY; slot++) if (this.#cells[slot * 2] === group) this.#set(slot, 0, 0);
  }

  #slotsOf(run: number): readonly number[] {
    const found: number[] = [];
    for (let slot = 0; slot < CAPACITY; slot++) {
      const here = this.#cells[slot * 2 + 1]!;
      if (here === run || here === -run) found.push(slot);
    }
    return found;
  }

  #first(run: number): number {
    for (let slot = 0; slot < CAPACITY; slot++) if (this.#cells[slot * 2 + 1] === run) return slot;
    return -1;
  }

  #set(slot: number, group: number, run: number): void {
    Atomics.store(this.#cells, slot * 2, group);
    Atomics.store(this.#cells, slot * 2 + 1, run);
    if (this.#ledger !== undefined) writeSync(this.#ledger, `${group || ""}`.padStart(LINE - 1) + "\n", slot * LINE);
  }
}

/** False where the group (or, below zero, the one process) is not there to be signalled. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

const LAST_ROUND = 60;

/** Kills every process of a run, whatever groups and sessions it has moved to. True where there may have been one. */
export function killRun(groups: Groups, run: number): boolean {
  groups.doom(run);
  return groups.of(run).filter((group) => signalGroup(group, "SIGKILL")).length > 0;
}

/** Resolves once none is left. `reap` takes dead members of a group off the process table; the run's first process must be off it already. */
export async function endRun(groups: Groups, run: number, reap: (group: number) => void): Promise<void> {
  for (let round = 0; round < LAST_ROUND && killRun(groups, run); round++) {
    groups.of(run).forEach(reap);
    await new Promise((resolve) => setTimeout(resolve, round));
  }
  groups.forget(run);
}
