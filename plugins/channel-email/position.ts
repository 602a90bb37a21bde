import type { Values } from "@gantry/sdk";
import { digest } from "./message-id.ts";
import type { Settings } from "./settings.ts";

const space = "email.position";
const takenSpace = "email.taken";
const dayMs = 86_400_000;
/** How far back a mailbox is read that has numbered its mail anew. */
const rescanMs = 7 * dayMs;

interface Kept {
  /** When the channel first served this mailbox, Unix ms: nothing older is ever taken. */
  readonly since: number;
  /** What the numbers count on, and the lowest that was not taken; missing until it was connected once. */
  readonly validity?: string;
  readonly next?: number;
}

/** From where on a mailbox is read. */
export interface Start {
  /** Numbers from this one on; undefined: by date alone. */
  readonly uid?: number;
  /** Nothing that came in before this counts, Unix ms; 0 where the numbers say it. */
  readonly notBefore: number;
}

/** How far a mailbox was read, kept so that a later process goes on there. */
export class Position {
  readonly #key: string;
  readonly #values: () => Values;
  #kept: Kept | undefined;

  constructor({ username, imap, mailbox }: Settings, values: () => Values) {
    this.#key = digest(`${username} ${imap.shown} ${mailbox}`);
    this.#values = values;
  }

  /** Notes the first start; later calls change nothing. */
  async begin(): Promise<void> {
    // Servers write no fractions of a second.
    const since = Math.floor(Date.now() / 1_000) * 1_000;
    await this.#values().add(space, this.#key, { since } satisfies Kept);
    this.#kept = await this.#values().get<Kept>(space, this.#key);
  }

  /** Where to go on in a mailbox whose numbers count on `validity`. */
  start(validity: bigint): Start {
    const { since, validity: known, next } = this.#now();
    if (known === String(validity) && next !== undefined) return { uid: next, notBefore: 0 };
    const isFirst = known === undefined;
    return { notBefore: isFirst ? since : Math.max(since, Date.now() - rescanMs) };
  }

  /** All mail with a lower number than `next` is on disk, or does not count. */
  async moved(validity: bigint, next: number): Promise<void> {
    const { since } = this.#now();
    this.#kept = { since, validity: String(validity), next };
    await this.#values().put(space, this.#key, this.#kept);
  }

  /** Remembers a mail beyond its number, which a server may give anew. */
  async took(id: string): Promise<void> {
    await this.#values().put(takenSpace, id, 1, Date.now() + rescanMs + dayMs);
  }

  async hasTaken(id: string): Promise<boolean> {
    return (await this.#values().get(takenSpace, id)) !== undefined;
  }

  #now(): Kept {
    if (this.#kept === undefined) throw new Error("the position is read before begin()");
    return this.#kept;
  }
}
