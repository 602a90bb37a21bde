import type { Logger } from "../contract/logger.ts";
import type { Awaitable } from "../contract/awaitable.ts";
import type { Lanes, Lease } from "../store/lanes.ts";
import { Connection, waitMs, type ConnectionOptions } from "./connection.ts";
import { pause } from "./pause.ts";

/** A node that says nothing for so long has lost its connection to another one. */
const leaseMs = 6_000;
const renewMs = 2_000;
/** A node that waits asks so often. */
const askMs = 1_000;

export interface LeasedOptions {
  readonly channel: string;
  readonly lanes: () => Pick<Lanes, "hold" | "renew" | "release" | "recover" | "isDrained">;
  readonly log: Logger;
  /** Called each time that this node gets the connection. */
  open(): Awaitable<ConnectionOptions>;
}

interface Held {
  readonly lease: Lease;
  readonly connection: Connection;
  /** By `performance.now()`: from then on another node may have the lease. */
  until: number;
}

/**
 * A {@link Connection} that one of all nodes on a store has. The others ask every second, so one of
 * them has it a second after its holder has stopped, and 7 s after its holder died.
 */
export class LeasedConnection {
  readonly #options: LeasedOptions;
  readonly #stop = new AbortController();
  #held: Held | undefined;
  #watched: Promise<void> = Promise.resolve();

  constructor(options: LeasedOptions) {
    this.#options = options;
  }

  /** Opens the connection if no other node has it. Throws what `open` throws. */
  async start(): Promise<void> {
    const { channel, lanes, log } = this.#options;
    if (!(await this.#take())) {
      // A service that was killed and starts again does not wait for itself.
      await lanes().recover();
      if (!(await this.#take()))
        log.info({ channel }, `Another node has the connection of the channel ${channel}; this one waits.`);
    }
    this.#watched = this.#watch(this.#stop.signal);
  }

  /** Resolves once nothing of it runs any more and another node may have the connection. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watched;
    await this.#handOver();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { channel, log } = this.#options;
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    let tries = 0;
    while (!signal.aborted) {
      await pause(tries > 0 ? waitMs(tries, { reason: "" }) : this.#held ? renewMs : askMs, signal);
      if (signal.aborted) return;
      try {
        // A stop does not wait for a store that is silent.
        await Promise.race([this.#held ? this.#renew(this.#held) : this.#takeOver(), stopped]);
        tries = 0;
      } catch (error) {
        tries += 1;
        const { message } = error as Error;
        log.warn({ channel, err: error }, `This node cannot take over the channel ${channel}: ${message}`);
      }
    }
  }

  async #takeOver(): Promise<void> {
    const { channel, log } = this.#options;
    if (await this.#take()) log.info({ channel }, `This node takes over the channel ${channel}.`);
  }

  /** False if another node has the lease, or this one stops. */
  async #take(): Promise<boolean> {
    const { channel, lanes, open } = this.#options;
    if (lanes().isDrained?.()) return false;
    const lease = await lanes().hold(`connection:${channel}`, leaseMs);
    if (!lease) return false;
    try {
      const connection = new Connection(await open());
      // Opening may have taken longer than the lease.
      const isHeld = await lanes().renew(lease, leaseMs);
      if (isHeld && !this.#stop.signal.aborted) {
        this.#held = { lease, connection, until: performance.now() + leaseMs };
        connection.start();
        return true;
      }
      await lanes().release(lease);
      return false;
    } catch (error) {
      await lanes().release(lease);
      throw error;
    }
  }

  /** Ends the connection if the lease is lost, or will be because the store does not answer. */
  async #renew(held: Held): Promise<void> {
    const { channel, lanes, log } = this.#options;
    if (lanes().isDrained?.()) {
      await this.#handOver();
      return log.info({ channel }, `This node is drained and leaves the channel ${channel} to another.`);
    }
    const now = performance.now();
    const last = held.until - renewMs;
    const over = new AbortController();
    const late = pause(Math.max(0, last - now), over.signal).then(() => undefined);
    const renewed = lanes().renew(held.lease, leaseMs);
    const isHeld = await Promise.race([renewed.catch(() => undefined), late]);
    over.abort();
    if (isHeld) return void (held.until = now + leaseMs);
    if (isHeld === undefined && performance.now() < last) return;
    await this.#end();
    const why = isHeld === false ? "another node has it" : "the store does not answer";
    log.warn({ channel }, `This node has lost the connection of the channel ${channel}: ${why}.`);
  }

  async #handOver(): Promise<void> {
    const lease = await this.#end();
    // Where the store fails, the lease ends by itself.
    if (lease)
      await this.#options
        .lanes()
        .release(lease)
        .catch(() => {});
  }

  /** Ends the connection; returns the lease that it was held by. */
  async #end(): Promise<Lease | undefined> {
    const held = this.#held;
    this.#held = undefined;
    await held?.connection.stop();
    return held?.lease;
  }
}
