import { closeSync, constants, openSync, writeFileSync, writeSync } from "node:fs";
import { THREADS, statOf } from "./descendants.ts";

export interface GroupFacts {
  /** Files that a new process is written to. */
  readonly files: readonly string[];
  /** Files that say how many processes and threads there may be; none if nothing limits that. */
  readonly rooms: readonly string[];
  /** Most processes and threads that the runs may have together. */
  readonly most: number;
}

/**
 * Control groups that confined processes are put into, so that all they start is in there from its
 * first moment.
 */
export class Groups {
  readonly #files: readonly number[];
  readonly #facts: GroupFacts;
  /** The threads of each confined process itself, which are not the runs'. */
  readonly #threads = new Map<number, number>();

  constructor(facts: GroupFacts) {
    this.#facts = facts;
    this.#files = facts.files.map((file) => openSync(file, constants.O_WRONLY));
  }

  /** Puts a process into the groups. Throws if the kernel does not let it in. */
  take(pid: number): void {
    for (const file of this.#files) writeSync(file, String(pid), 0);
    this.#threads.set(pid, Number(statOf(pid)?.[THREADS] ?? 0));
    this.#makeRoom();
  }

  leave(pid: number): void {
    this.#threads.delete(pid);
    this.#makeRoom();
  }

  close(): void {
    for (const file of this.#files) closeSync(file);
  }

  #makeRoom(): void {
    const own = [...this.#threads.values()].reduce((sum, threads) => sum + threads, 0);
    for (const room of this.#facts.rooms) writeFileSync(room, String(this.#facts.most + own), { flag: "r+" });
  }
}
