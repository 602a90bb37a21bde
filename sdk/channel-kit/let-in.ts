import type { Store } from "../store/store.ts";
import type { Standing } from "../security/people.ts";
import type { Trust } from "../security/trust.ts";
import { PairedPeople } from "./pairing.ts";
import { trustOf, type AllowedPeople, type Matches } from "./people.ts";

export interface LetInRules {
  readonly people: AllowedPeople;
  /** The key `pairing_enabled`; undefined: no code lets anybody in. */
  readonly pairing?: boolean | undefined;
  readonly matches?: Matches;
}

/** Says who may write to one channel: by the configuration, or by a code. */
export class LetIn implements Standing {
  readonly name: string;
  readonly #rules: LetInRules;
  readonly paired: PairedPeople;

  constructor(channel: string, rules: LetInRules, store: () => Store) {
    this.name = channel;
    this.#rules = rules;
    this.paired = new PairedPeople(channel, () => store().values);
  }

  /** A code may let people in. */
  get pairs(): boolean {
    return this.#rules.pairing === true;
  }

  /** Undefined for somebody who may not. */
  async trust(id: string): Promise<Trust | undefined> {
    const { people, pairing, matches } = this.#rules;
    const listed = trustOf(id, people, matches);
    if (pairing !== true || (listed !== undefined && listed !== "guest")) return listed;
    return (await this.paired.has(id)) ? "member" : listed;
  }
}
