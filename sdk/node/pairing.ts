import { createHash, randomInt } from "node:crypto";
import { errors } from "../contract/codes.ts";
import type { Logger } from "../contract/logger.ts";
import { scopes, type Scope } from "../security/scope.ts";
import { listAll, type Store } from "../store/store.ts";

const codes = "gateway.codes";
const locks = "gateway.locks";
const lockMs = 300_000;
const window = { ms: lockMs, max: 5 };
/** No code lives longer, so this counts all guesses at it. */
const longestLifeMs = 86_400_000;
/** Wrong guesses that end all open codes together: a guesser may have many addresses. */
const maxGuesses = 100;

/** The number of codes that may be open; one more ends the code with the least time left. */
const maxCodes = 16;

export interface PairingCode {
  readonly code: string;
  /** Unix ms. */
  readonly expires: number;
}

/** The grant of a code to whoever redeems it; it is kept with the code. */
export interface PairingGrant {
  readonly may: readonly Scope[];
  /** Goes before the name that a device gives itself. */
  readonly name?: string;
  /** Days for which the token of a device counts; undefined: until it is revoked. */
  readonly days?: number;
}

export interface PairingConfig {
  readonly pairing_code_length: number;
  readonly pairing_timeout_minutes: number;
}

interface OpenCode {
  /** Unix ms. */
  readonly expires: number;
  readonly grant?: PairingGrant;
}

/**
 * One-time codes that let a device or a person in, shared through the store by the command line,
 * the gateway and channels.
 */
export class Pairing {
  readonly #store: Pick<Store, "values" | "limits">;
  readonly #length: number;
  readonly #lifeMs: number;
  readonly #log: Logger | undefined;
  readonly #now: () => number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    store: Pick<Store, "values" | "limits">,
    config: PairingConfig = { pairing_code_length: 6, pairing_timeout_minutes: 10 },
    log?: Logger,
    now: () => number = Date.now,
  ) {
    this.#log = log;
    this.#store = store;
    this.#length = config.pairing_code_length;
    this.#lifeMs = config.pairing_timeout_minutes * 60_000;
    this.#now = now;
  }

  /** Makes one more code; the others stay open. */
  async create(grant: PairingGrant = { may: scopes }): Promise<PairingCode> {
    const { values } = this.#store;
    const expires = this.#now() + this.#lifeMs;
    for (;;) {
      const code = Array.from({ length: this.#length }, () => randomInt(10)).join("");
      const open: OpenCode = { expires, grant };
      if (!(await values.add(codes, sha256(code), open, { forMs: this.#lifeMs }))) continue;
      const surplus = (await this.#open()).slice(0, -maxCodes);
      for (const { key } of surplus) await values.remove(codes, key);
      return { code, expires };
    }
  }

  /**
   * Uses a code up and returns its grant. Throws PAIR_CODE_INVALID and PAIR_LOCKED; tries are taken
   * one by one, so that many at once cannot get around the lock.
   */
  redeem(code: string, peer: string): Promise<PairingGrant> {
    return this.#oneByOne(async () => {
      const found = await this.#store.values.take<OpenCode>(codes, sha256(code));
      // A code of an earlier release gives all.
      if (found && found.expires > this.#now()) return found.grant ?? { may: scopes };
      await this.#count(peer);
      await this.#wear();
      throw errors.PAIR_CODE_INVALID();
    }, peer);
  }

  /** Counts a try that was refused before its code was looked at. */
  countFailure(peer: string): Promise<void> {
    return this.#oneByOne(() => this.#count(peer), peer);
  }

  /** Returns the open codes, the one with the least time left first. */
  async #open(): Promise<readonly { readonly key: string; readonly value: OpenCode }[]> {
    const all = await listAll<OpenCode>(this.#store.values, codes);
    return all.toSorted((a, b) => a.value.expires - b.value.expires);
  }

  #oneByOne<T>(work: () => Promise<T>, peer: string): Promise<T> {
    const mine = this.#last.then(async () => {
      const lock = await this.#store.values.get<{ until: number }>(locks, peer);
      const left = (lock?.until ?? 0) - this.#now();
      if (left > 0)
        throw Object.assign(errors.PAIR_LOCKED(Math.ceil(left / 1_000)), {
          retryAfter: Math.ceil(left / 1_000),
        });
      return work();
    });
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #count(peer: string): Promise<void> {
    const { values, limits } = this.#store;
    const key = `pair:${peer}`;
    await limits.hit(key, [window]);
    if ((await limits.count(key, window.ms)) < window.max) return;
    const until = this.#now() + lockMs;
    this.#warn(`${window.max} wrong pairing codes came from ${peer}, which is locked out`, "still counts");
    await values.put(locks, peer, { until }, { forMs: lockMs });
  }

  async #wear(): Promise<void> {
    const { values, limits } = this.#store;
    const open = await this.#open();
    // Many codes must not be easier to guess than one.
    const most = Math.floor(maxGuesses / open.length);
    for (const { key: hash } of open) {
      const key = `pair:code:${hash}`;
      await limits.hit(key, [{ ms: longestLifeMs, max: maxGuesses }]);
      if ((await limits.count(key, longestLifeMs)) < most) continue;
      await values.remove(codes, hash);
      this.#warn(`${most} wrong pairing codes came in all`, "is dead");
    }
  }

  #warn(what: string, code: string): void {
    const error = errors.PAIR_GUESSED(what, code);
    this.#log?.warn({ code: error.code }, error.message);
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
