import { createHmac, randomBytes } from "node:crypto";
import type { Store } from "@gantry/sdk";

const SPACE = "provider-router";
const KEY = "tag-key";

/**
 * The word in the tags of a conversation: nobody else can know it, and it stays the same, also
 * after a restart, so that a request begins with the bytes of the one before it.
 */
export class TagWords {
  readonly #store: Store | undefined;
  readonly #fallback: string = randomBytes(32).toString("base64");
  #kept: string | undefined;

  constructor(store?: Store) {
    this.#store = store;
  }

  async of(session: string): Promise<string> {
    const key = this.#kept ?? (await this.#read());
    return createHmac("sha256", key).update(session).digest("hex").slice(0, 16);
  }

  /**
   * A store that fails is asked again with the next request; until then the key is this process's
   * own.
   */
  async #read(): Promise<string> {
    if (!this.#store) return this.#fallback;
    try {
      const { values } = this.#store;
      await values.add(SPACE, KEY, this.#fallback);
      this.#kept = await values.get<string>(SPACE, KEY);
    } catch {
      return this.#fallback;
    }
    return this.#kept ?? this.#fallback;
  }
}
