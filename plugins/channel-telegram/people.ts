import type { Store, Trust } from "@gantry/sdk";
import { PairedPeople, trustOf } from "@gantry/sdk/channel";
import type { Settings } from "./settings.ts";

/** Who may write: by the configuration, or by a code. */
export class People {
  readonly #settings: Settings;
  readonly paired: PairedPeople;

  constructor(settings: Settings, store: () => Store) {
    this.#settings = settings;
    this.paired = new PairedPeople("telegram", () => store().values);
  }

  /** Undefined for somebody who may not. */
  async trust(id: string): Promise<Trust | undefined> {
    const listed = trustOf(id, this.#settings.people);
    if (!this.#settings.pairing || (listed !== undefined && listed !== "guest")) return listed;
    return (await this.paired.has(id)) ? "member" : listed;
  }
}
