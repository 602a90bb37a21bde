import type { Logger } from "@gantry/sdk";
import type { Lease } from "@gantry/sdk/fill";
import { awaitDatabase } from "./await-database.ts";
import type { Database } from "./database.ts";
import type { Nodes } from "./nodes.ts";
import { stored } from "./text.ts";

interface Proof {
  /** When the lease was asked for that the store gave, by `performance.now()`. */
  readonly at: number;
  readonly leaseMs: number;
}

/** Knows of the leases of this node until when no other node can have taken them. */
export class HeldLeases {
  readonly #db: Database;
  readonly #nodes: Nodes;
  readonly #log: Logger;
  readonly #proofs = new WeakMap<Lease, Proof>();

  constructor(db: Database, nodes: Nodes, log: Logger) {
    this.#db = db;
    this.#nodes = nodes;
    this.#log = log;
  }

  /** Returns the lease, which the store gave for a call that began at `at`. */
  given<Held extends Lease>(lease: Held, at: number, leaseMs: number): Held {
    this.#proofs.set(lease, { at, leaseMs });
    return lease;
  }

  async renew(lease: Lease, leaseMs: number): Promise<boolean> {
    const at = performance.now();
    const { lane, token } = lease;
    const wanted = { lane: stored(lane), token, leaseMs: Math.ceil(leaseMs) };
    const isHeld = await this.#db.call<boolean>("gantry_renew", wanted);
    if (isHeld) this.given(lease, at, leaseMs);
    return isHeld;
  }

  /** As {@link Lanes.isHeld}. */
  isHeld(lease: Lease, signal: AbortSignal): true | Promise<boolean> {
    const proof = this.#proofs.get(lease);
    // Another store's.
    if (!proof) return Promise.resolve(false);
    const isInTime = performance.now() < proof.at + proof.leaseMs;
    return (isInTime && this.#nodes.livesSince(proof.at)) || this.#ask(lease, proof, signal);
  }

  async #ask(lease: Lease, { leaseMs }: Proof, signal: AbortSignal): Promise<boolean> {
    await awaitDatabase(this.#db, { log: this.#log, signal });
    // From this beat on no other node takes it, so that what is found afterwards stays true.
    await this.#nodes.look();
    return this.renew(lease, leaseMs);
  }
}
