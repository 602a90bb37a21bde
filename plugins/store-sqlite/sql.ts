import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

type Row = Record<string, unknown>;

/** An open file; statements are prepared once. */
export class Sql {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  get<T = Row>(text: string, ...values: SQLInputValue[]): T | undefined {
    return this.#statement(text).get(...values) as T | undefined;
  }

  all<T = Row>(text: string, ...values: SQLInputValue[]): T[] {
    return this.#statement(text).all(...values) as T[];
  }

  /** Gives the number of rows that changed. */
  run(text: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(text).run(...values).changes);
  }

  /** Returns the row's number, or undefined if nothing was inserted. */
  insert(text: string, ...values: SQLInputValue[]): number | undefined {
    const { changes, lastInsertRowid } = this.#statement(text).run(...values);
    return changes === 0 ? undefined : Number(lastInsertRowid);
  }

  script(text: string): void {
    this.#db.exec(text);
  }

  /**
   * All of `work` or nothing of it; takes the write lock first, so that what it reads still holds
   * when it writes.
   */
  transaction<T>(work: () => T): T {
    this.#statement("BEGIN IMMEDIATE").run();
    try {
      const result = work();
      this.#statement("COMMIT").run();
      return result;
    } catch (error) {
      // A full disk has already rolled back.
      if (this.#db.isTransaction) this.#statement("ROLLBACK").run();
      throw error;
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #statement(text: string): StatementSync {
    let statement = this.#prepared.get(text);
    if (!statement) this.#prepared.set(text, (statement = this.#db.prepare(text)));
    return statement;
  }
}
