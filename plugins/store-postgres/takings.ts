import { randomUUID } from "node:crypto";
import type { Database } from "./database.ts";

/**
 * Calls that take lanes. Where the answer to one is lost on its way, this node may hold lanes that
 * it does not know of; they are freed before it takes others, since nobody else would before their
 * lease ends.
 */
export class Takings {
  readonly #db: Database;
  readonly #node: string;
  #doubted: readonly string[] = [];

  constructor(db: Database, node: string) {
    this.#db = db;
    this.#node = node;
  }

  /**
   * Calls a function of the layout; the tokens of all that it takes begin with the name of the
   * call.
   */
  async take<Answer>(name: string, wanted: object): Promise<Answer> {
    await this.#disown();
    const call = randomUUID();
    try {
      return await this.#db.call<Answer>(name, { ...wanted, node: this.#node, call });
    } catch (error) {
      this.#doubted = [...this.#doubted, call];
      throw error;
    }
  }

  async #disown(): Promise<void> {
    const calls = this.#doubted;
    if (calls.length === 0) return;
    await this.#db.call("gantry_disown", { node: this.#node, calls });
    this.#doubted = this.#doubted.filter((call) => !calls.includes(call));
  }
}
