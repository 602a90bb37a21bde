import { GantryError } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { Era } from "./accepted.ts";
import type { Connection } from "./connection.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A failure to connect, which is the answer to all who ask until a while is over. */
interface Failure {
  readonly error: Error;
  readonly until: number;
  readonly pauseMs: number;
}

/** The one connection to a server: made by the first who needs it, given up once nobody does. */
export class LiveConnection {
  readonly #make: (era: Era | undefined, ended: () => void) => Promise<Connection>;
  readonly #idleMs: number;
  #connection: Promise<Connection> | undefined;
  #failure: Failure | undefined;
  #users = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(make: (era: Era | undefined, ended: () => void) => Promise<Connection>, idleMs: number) {
    this.#make = make;
    this.#idleMs = idleMs;
  }

  /** The one that there is, if there is one. */
  get current(): Promise<Connection> | undefined {
    return this.#connection;
  }

  /**
   * Runs `work` with the connection, which stays for its time. After a failure nothing is tried for
   * a while.
   */
  async with<Result>(
    era: Era | undefined,
    work: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    clearTimeout(this.#idle);
    this.#users += 1;
    try {
      return await work(await this.#connected(era));
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.then(
      ({ close }) => close(),
      () => undefined,
    );
  }

  #connected(era: Era | undefined): Promise<Connection> {
    if (this.#connection) return this.#connection;
    if (this.#failure && performance.now() < this.#failure.until) return Promise.reject(this.#failure.error);
    const mine = this.#make(era, () => this.#left(mine)).then(
      (connection) => {
        this.#failure = undefined;
        return connection;
      },
      (error: unknown) => {
        this.#left(mine);
        this.#failed(asError(error));
        throw error;
      },
    );
    this.#connection = mine;
    return mine;
  }

  #left(connection: Promise<Connection>): void {
    if (this.#connection === connection) this.#connection = undefined;
  }

  #failed(error: Error): void {
    // A login may be there a moment later, and to see that it is not costs one request.
    if (error instanceof GantryError && error.code.startsWith("MCP_LOGIN")) return;
    const pauseMs = this.#failure ? 2 * this.#failure.pauseMs : FIRST_PAUSE_MS;
    const bounded = Math.min(LONGEST_PAUSE_MS, pauseMs);
    this.#failure = { error, until: performance.now() + bounded, pauseMs: bounded };
  }
}
