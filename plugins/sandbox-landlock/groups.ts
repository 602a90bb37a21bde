import { writeSync } from "node:fs";
import { signalGroup, signalProcess } from "./signals.ts";

const CAPACITY = 1024;
const PER_RUN = 128;
/** From here on the dead are looked for, so that their numbers do not stay here longer than they must. */
const LOOK_AT = 16;
const LINE = 12;

/** Before it stands how many slots were ever used. */
const FIRST = 1;
/** A cell that is being given back: of no run, and not free. */
const RELEASED = 1n;
const cellOf = (group: number, run: number): bigint => (BigInt(run) << 32n) | BigInt(group);
const groupIn = (cell: bigint): number => Number(BigInt.asIntN(32, cell));
const runIn = (cell: bigint): number => Number(cell >> 32n);

/**
 * Which process groups belong to which run, shared by the threads and, as lines of a file, by the guardian. A run is named
 * by its first group; each later group is added before the kernel makes it, so that the table is never behind the kernel.
 */
export class Groups {
  /** Group and run in one number, so that no thread sees half a change; a run below zero is being ended and makes no new groups. */
  readonly #cells: BigInt64Array;
  /** The same memory as [group, run], to look through quickly. */
  readonly #halves: Int32Array;
  readonly #ledger: number | undefined;

  /** `ledger`: a descriptor that the guardian reads when the service is gone. */
  constructor(memory: SharedArrayBuffer, ledger?: number) {
    this.#cells = new BigInt64Array(memory);
    this.#halves = new Int32Array(memory);
    this.#ledger = ledger;
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(CAPACITY * 8);
  }

  /** False where there is no such run, where it is being ended, or where it has too many groups that live. */
  add(group: number, run: number): boolean {
    if (group <= 1 || run <= 1) return false;
    const before = this.runOf(group);
    if (Math.abs(before) === run) return before === run;
    // The number was given to a new process, so nothing is left of the group that had it.
    if (before !== 0) this.#drop(group);
    if (group !== run && this.runOf(run) !== run) return false;
    if (this.of(run).length >= LOOK_AT) this.#dropDead(run);
    if (this.of(run).length >= PER_RUN) return false;
    const slot = this.#claim(group, run);
    // Where the run was doomed meanwhile, either this sees it or the second pass of `doom` saw the cell.
    if (slot === undefined || this.runOf(run) === run) return slot !== undefined;
    // Where it was forgotten too, nobody else would give back the cell, and its number may soon be a stranger's.
    for (const mark of [run, -run]) this.#release(slot, cellOf(group, mark));
    return false;
  }

  /** The run of a group, negative while it is being ended, 0 for a group of nobody. */
  runOf(group: number): number {
    for (let slot = FIRST; slot < this.#end; slot++) {
      if (Atomics.load(this.#halves, slot * 2) !== group) continue;
      const cell = Atomics.load(this.#cells, slot);
      if (groupIn(cell) === group && runIn(cell) !== 0) return runIn(cell);
    }
    return 0;
  }

  of(run: number): readonly number[] {
    return this.#cellsOf(run).map(([, cell]) => groupIn(cell));
  }

  /** Every run there is. */
  runs(): readonly number[] {
    const found = new Set<number>();
    for (let slot = FIRST; slot < this.#end; slot++)
      found.add(Math.abs(Atomics.load(this.#halves, slot * 2 + 1)));
    found.delete(0);
    return [...found];
  }

  /** From here on the run makes no new group. */
  doom(run: number): void {
    for (let pass = 0; pass < 2; pass++) {
      for (const [slot, cell] of this.#cellsOf(run))
        Atomics.compareExchange(this.#cells, slot, cell, cellOf(groupIn(cell), -run));
    }
  }

  forget(run: number): void {
    for (const [slot, cell] of this.#cellsOf(run)) this.#release(slot, cell);
  }

  #dropDead(run: number): void {
    for (const [slot, cell] of this.#cellsOf(run)) {
      const group = groupIn(cell);
      // A group whose first process lives may be about to be made.
      if (group !== run && !signalGroup(group, 0) && !signalProcess(group, 0)) this.#release(slot, cell);
    }
  }

  #drop(group: number): void {
    for (let slot = FIRST; slot < this.#end; slot++) {
      const cell = Atomics.load(this.#cells, slot);
      if (groupIn(cell) === group && runIn(cell) !== 0) this.#release(slot, cell);
    }
  }

  #cellsOf(run: number): readonly (readonly [slot: number, cell: bigint])[] {
    const found: [number, bigint][] = [];
    for (let slot = FIRST; slot < this.#end; slot++) {
      if (Math.abs(Atomics.load(this.#halves, slot * 2 + 1)) !== run) continue;
      const cell = Atomics.load(this.#cells, slot);
      if (Math.abs(runIn(cell)) === run) found.push([slot, cell]);
    }
    return found;
  }

  /** Of those with a ledger one thread adds. Its line is there before the cell, so never after the blank of who gives that back. */
  #claim(group: number, run: number): number | undefined {
    for (let slot = FIRST; slot < CAPACITY; slot++) {
      if (Atomics.load(this.#halves, slot * 2) !== 0) continue;
      this.#reach(slot);
      this.#write(slot, String(group));
      if (Atomics.compareExchange(this.#cells, slot, 0n, cellOf(group, run)) === 0n) return slot;
    }
    return undefined;
  }

  get #end(): number {
    return FIRST + Atomics.load(this.#halves, 0);
  }

  /** Whoever looks finds the slot from here on; it is reached before it is claimed. */
  #reach(slot: number): void {
    for (let end = this.#end; end <= slot; end = this.#end)
      Atomics.compareExchange(this.#halves, 0, end - FIRST, slot + 1 - FIRST);
  }

  /** The line is blank before the slot is free, so that it never blanks the next owner's. */
  #release(slot: number, cell: bigint): void {
    if (Atomics.compareExchange(this.#cells, slot, cell, RELEASED) !== cell) return;
    this.#write(slot, "");
    Atomics.store(this.#cells, slot, 0n);
  }

  #write(slot: number, line: string): void {
    if (this.#ledger !== undefined)
      writeSync(this.#ledger, line.padStart(LINE - 1) + "\n", (slot - FIRST) * LINE);
  }
}
