import { createHmac, randomBytes } from "node:crypto";
import { Store } from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import { Boundary } from "./boundary.ts";

const space = "host";
const key = "boundary";

/** The word of each session's marks, from a secret of this installation: lasting, not guessable. */
export class BoundaryWords {
  readonly #registry: Registry;
  readonly #own: string = randomBytes(32).toString("hex");
  #kept: string | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Another one after every compaction. */
  async of(session: string, generation: number): Promise<Boundary> {
    const hmac = createHmac("sha256", await this.#secret());
    return new Boundary(hmac.update(`${generation} ${session}`).digest("hex").slice(0, 18));
  }

  async #secret(): Promise<string> {
    const values = this.#registry.get(Store)?.values;
    if (!values) return this.#own;
    this.#kept ??= await values.get<string>(space, key);
    if (this.#kept === undefined) {
      await values.add(space, key, this.#own);
      this.#kept = await values.get<string>(space, key);
    }
    return this.#kept ?? this.#own;
  }
}
