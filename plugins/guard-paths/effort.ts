import { setImmediate } from "node:timers/promises";
import { followLinks } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** Steps of matching: about a second of them. */
const MAX = 10_000_000;
/** After so many the service does other things. */
const SLICE = 500_000;
/** The cost of each name of a path whose links are followed, or of a folder that is read. */
const NAME = 500;

/** The bound on the work of judging one call: its text can be chosen so that it takes minutes. */
export class Effort {
  #left = MAX;
  #slice = SLICE;
  readonly #followed = new Map<string, Promise<string>>();

  /** Throws PATH_TOO_MUCH where that goes beyond the bound. */
  async take(steps: number): Promise<void> {
    this.#left -= steps;
    this.#slice -= steps;
    if (this.#left < 0) throw errors.PATH_TOO_MUCH();
    if (this.#slice > 0) return;
    this.#slice = SLICE;
    await setImmediate();
  }

  /** A path, absolute, with its links followed, each once. Throws PATH_TOO_MUCH. */
  async follow(at: string): Promise<string> {
    const known = this.#followed.get(at);
    if (known) return known;
    await this.path(at);
    const following = followLinks(at);
    this.#followed.set(at, following);
    return following;
  }

  /** Before one is looked up. */
  path(at: string): Promise<void> {
    return this.take(NAME * at.split("/").length);
  }
}
