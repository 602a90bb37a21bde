import { errors as shared, GantryError } from "@gantry/sdk";
import type { ParameterOrJSON, Sql, TransactionSql } from "postgres";
import { connect, shownUrl, type DatabaseOptions } from "./connect.ts";
import { databaseFailed } from "./errors.ts";
import { layoutToRead, type LayoutState, prepareLayout } from "./migrate.ts";

type Value = ParameterOrJSON<never>;

/** A statement that changes nothing; functions of the layout are called otherwise. */
const looks = /^\s*SELECT\b/;
/** Longer than the server takes for any statement: after this the connection itself is in doubt. */
const answerMs = 15_000;
const triesAtOnce = 4;

/**
 * Another transaction was in the way, or the server is not the one to write to: nothing was done.
 */
const again: ReadonlySet<string> = new Set(["40001", "40P01", "25006"]);
const readOnly = "25006";
/** Data exceptions and broken constraints speak of the value, not of the database. */
const refused = /^2[23]|^54/;

/**
 * The database, opened on first use and opened again after it was away. All calls throw
 * `STORE_FAILED`, `STORE_REFUSED` and `STORE_NEWER`, and the last two of them do not help again.
 */
export class Database {
  readonly options: DatabaseOptions;
  readonly shown: string;
  #opened: Promise<Sql> | undefined;
  #prepared: Promise<LayoutState> | undefined;
  #looked: Promise<LayoutState> | undefined;
  #isClosed = false;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(options: DatabaseOptions) {
    this.options = options;
    this.shown = shownUrl(options.url);
  }

  /** Reading lays nothing out: a database on which nothing was laid out has no rows. */
  async rows<Row>(text: string, ...values: readonly Value[]): Promise<readonly Row[]> {
    const isLook = looks.test(text);
    if (isLook && !(await this.telling(() => this.#isLaidOut()))) return [];
    return this.#rows<Row>(text, values, isLook);
  }

  async #rows<Row>(text: string, values: readonly Value[], isLook = false): Promise<readonly Row[]> {
    const work = (sql: Sql) => sql.unsafe(text, [...values]) as Promise<unknown>;
    return (await this.#use(work, isLook)) as readonly Row[];
  }

  /** Calls a function of the layout, which takes and gives JSON, in a transaction of its own. */
  async call<Answer>(name: string, argument: unknown): Promise<Answer> {
    const text = `SELECT ${name}($1::text::jsonb)::text AS answer`;
    const [row] = await this.#rows<{ answer: string | null }>(text, [JSON.stringify(argument)]);
    return (row?.answer === null ? undefined : JSON.parse(row!.answer)) as Answer;
  }

  /** Calls a function that changes nothing; undefined where nothing is laid out. */
  async ask<Answer>(name: string, argument: unknown): Promise<Answer | undefined> {
    const text = `SELECT ${name}($1::text::jsonb)::text AS answer`;
    const [row] = await this.rows<{ answer: string }>(text, JSON.stringify(argument));
    return row && (JSON.parse(row.answer) as Answer);
  }

  /** Does `work` in one transaction. */
  transaction<Answer>(work: (sql: TransactionSql) => Promise<Answer>): Promise<Answer> {
    return this.#use(async (sql) => (await sql.begin(async (one) => ({ answer: await work(one) }))).answer);
  }

  /** Throws what `work` throws of the database as an error that callers know. */
  async telling<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Lets what is under way end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    await this.#drop();
  }

  async #use<Answer>(work: (sql: Sql) => Promise<Answer>, isLook = false): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (!isLook) await this.#prepare();
        return await this.#once(work);
      } catch (error) {
        const { code = "" } = error as { code?: string };
        if (code === readOnly) void this.#drop();
        if (!again.has(code) || tries >= triesAtOnce) throw this.#failure(error);
        // At another moment than the one that was in the way.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries));
      }
    }
  }

  async #once<Answer>(work: (sql: Sql) => Promise<Answer>): Promise<Answer> {
    const sql = await this.#open();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      // A server that went without a word would leave every later call waiting too.
      void this.#drop();
      late.reject(new Error(`it did not answer within ${answerMs / 1_000} s`));
    }, answerMs);
    const working = work(sql);
    this.#underWay.add(working);
    try {
      return await Promise.race([working, late.promise]);
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(working);
    }
  }

  #open(): Promise<Sql> {
    if (this.#isClosed) throw databaseFailed(this.shown, "it was closed and is still in use");
    return (this.#opened ??= connect(this.options, this.options.url));
  }

  async #prepare(): Promise<void> {
    if (this.#isClosed) throw databaseFailed(this.shown, "it was closed and is still in use");
    const prepared = (this.#prepared ??= prepareLayout(this.options, this.shown));
    await prepared.catch((error: unknown) => {
      // A database that was not there is tried again by the next call.
      if (this.#prepared === prepared) this.#prepared = undefined;
      throw error;
    });
  }

  /** True if there is something to read; false is not remembered. */
  async #isLaidOut(): Promise<boolean> {
    if (await this.#prepared?.catch(() => undefined)) return true;
    const looked = (this.#looked ??= layoutToRead(this.options, this.shown));
    const state = await looked.catch(() => undefined);
    if (this.#looked === looked && !state?.found) this.#looked = undefined;
    return (await looked).found > 0;
  }

  async #drop(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#prepared = undefined;
    this.#looked = undefined;
    const sql = await opened?.catch(() => undefined);
    await sql?.end({ timeout: 0 });
  }

  #failure(error: unknown): unknown {
    if (error instanceof GantryError) return error;
    const { message, code = "" } = error as { message: string; code?: string };
    if (refused.test(code)) return shared.STORE_REFUSED(this.shown, message);
    return databaseFailed(this.shown, message || code);
  }
}
