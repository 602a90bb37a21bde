import { setImmediate } from "node:timers/promises";
import { errors } from "./errors.ts";

/** Steps of matching: about a second of them. */
const MAX = 10_000_000;
/** After so many the service does other things. */
const SLICE = 500_000;
/** What following the links of a path counts. */
const PATH = 500;

/** What judging one call may take: its text can be chosen so that it takes minutes. */
export class Effort {
  #left = MAX;
  #slice = SLICE;

  /** Throws PATH_TOO_MUCH where that goes beyond the bound. */
  async take(steps: number): Promise<void> {
    this.#left -= steps;
    this.#slice -= steps;
    if (this.#left < 0) throw errors.PATH_TOO_MUCH();
    if (this.#slice > 0) return;
    this.#slice = SLICE;
    await setImmediate();
  }

  /** Before the links of so many paths are followed. */
  async paths(count: number): Promise<void> {
    await this.take(count * PATH);
  }
}
