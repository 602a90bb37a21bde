import { createHash, randomBytes } from "node:crypto";
import type { Values } from "@gantry/sdk";

const space = "discord.nonces";
/**
 * The parts of a nonce, of at most 25 characters:
 * https://docs.discord.com/developers/resources/message#create-message
 */
const tagSigns = 6;
const hashSigns = 18;

/**
 * Names for what is sent: the same for every try, so that the platform makes one message of it, and
 * ours alone.
 */
export class Nonces {
  readonly #values: () => Values;
  #tag: Promise<string> | undefined;

  constructor(values: () => Values) {
    this.#values = values;
  }

  async of(key: string, part: number): Promise<string> {
    const hash = createHash("sha256").update(`${part} ${key}`).digest("base64url");
    return (await this.#own()) + hash.slice(0, hashSigns);
  }

  /** True for a name that this installation gave, now or in an earlier life. */
  async isOurs(nonce: unknown): Promise<boolean> {
    return typeof nonce === "string" && nonce.startsWith(await this.#own());
  }

  /** The same as long as the store lives. */
  #own(): Promise<string> {
    this.#tag ??= this.#kept().catch((error: unknown) => {
      this.#tag = undefined;
      throw error;
    });
    return this.#tag;
  }

  async #kept(): Promise<string> {
    const values = this.#values();
    await values.add(space, "tag", randomBytes(tagSigns).toString("base64url").slice(0, tagSigns));
    return (await values.get<string>(space, "tag")) as string;
  }
}
