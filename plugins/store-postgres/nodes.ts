import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";

/** A process that uses the store. */
export interface Node {
  readonly node: string;
  readonly name: string;
  readonly beat: number;
  /** Unix ms by the database's clock, as are the others. */
  readonly since: number;
  readonly seen: number;
  readonly now: number;
  readonly version: string;
  /** False for a terminal or a command that holds a conversation for a while. */
  readonly serves: boolean;
  readonly draining: boolean;
}

export interface NodesOptions {
  readonly name: string;
  readonly version: string;
  readonly log: Logger;
  /** True if the nodes have one workspace on a volume of theirs. */
  readonly sharesWorkspace: boolean;
  /** Called when this node has freed lanes of a dead one. */
  onFreed(lanes: number): void;
}

/** What the model is told where files may stay behind. */
export const apartText =
  "Several machines answer these conversations and each has a workspace of its own: a file that you wrote " +
  "in an earlier turn may not be there now. Look before you rely on one, and keep what must last elsewhere.";

/** Six looks take a little more than {@link deadMs}. */
const beatMs = 840;
const deadMs = 5_000;
const looks = 5;
/** Others may take a node for dead {@link deadMs} after its beat; clocks do not run quite alike. */
const livesMs = 4_000;

/** A service that reads its configuration anew has the node of the old one beside it for a moment. */
const ofThisProcess = new Set<string>();

interface Seen {
  readonly beat: number;
  readonly since: number;
  /** When it was last looked at, and how often since its beat changed. */
  at: number;
  looks: number;
}

/** Reads the nodes, and how many conversations each holds; for who is none itself. */
export async function listNodes(db: Database): Promise<readonly (Node & { readonly running: number })[]> {
  return db.rows(
    `SELECT n.*, gantry_now() AS now, (SELECT count(*) FROM lanes l WHERE l.node = n.node AND l.until > gantry_now()) AS running
     FROM nodes n ORDER BY name, node`,
  );
}

/**
 * This node's row, and the judgement over the others. A node is dead if an observer has seen the
 * same beat for more than five seconds of its own monotonic clock and in five looks, none of them
 * long after the one before: neither set clocks, nor a failover of the database, nor an observer
 * that stood still make a live node look dead.
 */
export class Nodes {
  readonly id: string = randomUUID();
  readonly name: string;
  readonly #db: Database;
  readonly #options: NodesOptions;
  readonly #seen = new Map<string, Seen>();
  #timer: NodeJS.Timeout | undefined;
  #joined: Promise<void> | undefined;
  #serves = false;
  #isTold = false;
  #all: readonly Node[] = [];
  /** When the last beat that was counted was begun, by `performance.now()`. */
  #beatAt = -Infinity;
  /** Since when no two beats lie so far apart that others may have taken the node for dead. */
  #unbroken = Infinity;

  constructor(db: Database, options: NodesOptions) {
    this.#db = db;
    this.#options = options;
    this.name = options.name || hostname();
  }

  /** True once somebody wants this node to take no new work. */
  get draining(): boolean {
    return this.#serves && this.#all.some(({ node, draining }) => node === this.id && draining);
  }

  /** True while files of a workspace may stay on another node. */
  get areApart(): boolean {
    return !this.#options.sharesWorkspace && this.#all.filter(({ serves }) => serves).length > 1;
  }

  /** True if no other node can have freed what this one has taken since `at`. */
  livesSince(at: number): boolean {
    return at >= this.#unbroken && performance.now() - this.#beatAt < livesMs;
  }

  /** Has its row from now on, without which what it holds would belong to nobody. */
  async join(): Promise<void> {
    await this.#join();
    // It may have been taken for dead, with its row.
    if (performance.now() - this.#beatAt > livesMs) await this.look();
  }

  #join(): Promise<void> {
    this.#joined ??= this.#begin().catch((error: unknown) => {
      this.#joined = undefined;
      throw error;
    });
    return this.#joined;
  }

  /** Throws NODE_NAME_TAKEN while a node of the same name lives that was there before. */
  async serve(): Promise<void> {
    this.#serves = true;
    ofThisProcess.add(this.id);
    await this.join();
    await this.look();
    const before = new Map(this.#namesakes().map(({ node, beat }) => [node, beat]));
    while (before.size > 0) {
      await setTimeout(beatMs);
      await this.look();
      const still = this.#namesakes();
      if (still.some(({ node, beat }) => before.has(node) && beat !== before.get(node)))
        throw errors.NODE_NAME_TAKEN(this.name);
      // One that was killed is known to be dead after a while.
      for (const node of before.keys()) if (!still.some((one) => one.node === node)) before.delete(node);
    }
  }

  /** Returns the other nodes of its name that serve and began earlier. */
  #namesakes(): readonly Node[] {
    const mine = this.#all.find(({ node }) => node === this.id);
    const isEarlier = ({ since, node }: Node): boolean =>
      since < mine!.since || (since === mine!.since && node < this.id);
    return this.#all.filter(
      (one) => one.name === this.name && one.serves && !ofThisProcess.has(one.node) && isEarlier(one),
    );
  }

  /** Beats once, and frees what dead nodes held. */
  async look(): Promise<void> {
    const { id: node, name } = this;
    const { version } = this.#options;
    const at = performance.now();
    this.#all = await this.#db.call<readonly Node[]>("gantry_beat", {
      node,
      name,
      version,
      serves: this.#serves,
    });
    if (performance.now() - this.#beatAt > livesMs) this.#unbroken = performance.now();
    this.#beatAt = at;
    this.#tellApart();
    for (const other of this.#all) if (other.node !== node && this.#isDead(other)) await this.#bury(other);
    for (const known of this.#seen.keys())
      if (!this.#all.some((one) => one.node === known)) this.#seen.delete(known);
  }

  /** Ends the row and frees what this node holds, so that the others take it over at once. */
  async leave(): Promise<void> {
    clearTimeout(this.#timer);
    const joined = this.#joined;
    this.#joined = undefined;
    if (joined === undefined) return;
    await joined.catch(() => undefined);
    await this.#db.call("gantry_leave", { node: this.id });
  }

  #tellApart(): void {
    if (this.#isTold || !this.#serves || !this.areApart) return;
    this.#isTold = true;
    const cure = "put the workspace on a volume that all share and set node.shares_workspace";
    this.#options.log.warn({}, `Several nodes serve and files of a workspace stay on one of them: ${cure}.`);
  }

  async #begin(): Promise<void> {
    await this.look();
    this.#next();
  }

  #next(): void {
    this.#timer = globalThis
      .setTimeout(() => {
        // A database that is away is no news here: every call of the service says so.
        void this.look()
          .catch(() => undefined)
          .finally(() => this.#joined && this.#next());
      }, beatMs)
      .unref();
  }

  #isDead({ node, beat }: Node): boolean {
    const now = performance.now();
    const seen = this.#seen.get(node);
    if (seen?.beat !== beat || now - seen.at > deadMs) {
      this.#seen.set(node, { beat, since: now, at: now, looks: 1 });
      return false;
    }
    seen.at = now;
    seen.looks += 1;
    return seen.looks > looks && now - seen.since > deadMs;
  }

  async #bury({ node, name, beat }: Node): Promise<void> {
    const freed = await this.#db.call<number>("gantry_bury", { node, beat });
    this.#seen.delete(node);
    if (freed === 0) return;
    this.#options.log.warn(
      { node: name, conversations: freed },
      `The node ${name} is gone; its work goes on.`,
    );
    this.#options.onFreed(freed);
  }
}
