import type { Values } from "@gantry/sdk";
import { digest } from "./message-id.ts";
import type { Settings } from "./settings.ts";

const space = "email.position";
const takenSpace = "email.taken";
const dayMs = 86_400_000;
/** The age to which a mailbox is read again after it has renumbered its mail. */
const rescanMs = 7 * dayMs;

interface Kept {
  /** When the channel first served this mailbox, Unix ms by our clock. */
  readonly since: number;
  /**
   * The validity of the numbers, and the lowest one not taken; missing until the first connection.
   */
  readonly validity?: string;
  readonly next?: number;
  /**
   * Mails of lower numbers were there before these numbers were known, and may have been taken by
   * another number.
   */
  readonly below?: number;
}

/**
 * The position up to which a mailbox was read, kept so that a later process goes on there. Once it
 * was connected, numbers alone decide, since the server's clock may differ from ours; the date of a
 * mail matters only if it lay there at that moment.
 */
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

  /**
   * Returns the lowest number that was not taken; undefined if the validity of the numbers is not
   * known yet.
   */
  next(validity: bigint): number | undefined {
    const { validity: known, next } = this.#now();
    return known === String(validity) ? next : undefined;
  }

  /** Unix ms: what a mailbox whose numbers are not known held before this is not taken. */
  get notBefore(): number {
    const { since, validity } = this.#now();
    return validity === undefined ? since : Math.max(since, Date.now() - rescanMs);
  }

  /**
   * Learns how a mailbox numbers its mails: `uidNext` is the next one's, and `next` the lowest that
   * counts.
   */
  async learned(validity: bigint, uidNext: number, next: number): Promise<void> {
    const { since } = this.#now();
    await this.#keep({ since, validity: String(validity), next, below: uidNext });
  }

  /** Notes that all mail with a lower number than `next` is on disk, or does not count. */
  async moved(next: number): Promise<void> {
    await this.#keep({ ...this.#now(), next });
  }

  /** Returns true for a mail that was taken when it had another number. */
  async wasTaken(uid: number, id: string): Promise<boolean> {
    const { below = 0 } = this.#now();
    return uid < below && (await this.#values().get(takenSpace, id)) !== undefined;
  }

  /** Remembers a mail beyond its number, which a server may give again. */
  async took(id: string): Promise<void> {
    await this.#values().put(takenSpace, id, 1, { forMs: rescanMs + dayMs });
  }

  async #keep(kept: Kept): Promise<void> {
    this.#kept = kept;
    await this.#values().put(space, this.#key, kept);
  }

  #now(): Kept {
    if (this.#kept === undefined) throw new Error("the position is read before begin()");
    return this.#kept;
  }
}
