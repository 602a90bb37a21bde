import type { Sql } from "postgres";
import { connect } from "./connect.ts";
import type { Database } from "./database.ts";

const channel = "gantry_due";
/** More often than this nobody is told. */
const apartMs = 5;

/**
 * The word to listeners that something fell due: on this node at once, on the others by NOTIFY
 * after the commit. It may be lost: whoever works looks by the clock as well.
 */
export class Wakes {
  readonly #db: Database;
  /** Says who told, so that nobody hears of itself. */
  readonly #node: string;
  readonly #listeners = new Set<() => void>();
  #told = 0;
  #telling: NodeJS.Timeout | undefined;
  #listening: Promise<Sql | undefined> | undefined;

  constructor(db: Database, node: string) {
    this.#db = db;
    this.#node = node;
  }

  onDue(wake: () => void): () => void {
    this.#listeners.add(wake);
    this.#listening ??= this.#listen().catch(() => {
      // Polling is enough; the next one who listens tries again.
      this.#listening = undefined;
      return undefined;
    });
    return () => void this.#listeners.delete(wake);
  }

  /** Something of this node's fell due. */
  due(): void {
    this.wakeHere();
    this.#telling ??= setTimeout(
      () => {
        this.#telling = undefined;
        this.#told = performance.now();
        void this.#db.rows("SELECT gantry_notify($1)", this.#node).catch(() => undefined);
      },
      Math.max(0, this.#told + apartMs - performance.now()),
    ).unref();
  }

  wakeHere(): void {
    for (const wake of this.#listeners) wake();
  }

  async close(): Promise<void> {
    clearTimeout(this.#telling);
    const sql = await this.#listening;
    await sql?.end({ timeout: 1 });
  }

  /** A pooler that shares servers between transactions would lose what is listened for. */
  async #listen(): Promise<Sql | undefined> {
    const { directUrl, prepare, url } = this.#db.options;
    if (directUrl === undefined && !prepare) return undefined;
    const sql = await connect({ ...this.#db.options, prepare: true }, directUrl ?? url, 1);
    await sql.listen(channel, (node) => {
      if (node !== this.#node) this.wakeHere();
    });
    return sql;
  }
}
