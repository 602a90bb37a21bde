/** Buckets that are remembered; more are looked through for what is over. */
const maxBuckets = 1_000;

/**
 * A call for the purpose of limits: what is called, and the channel, server or webhook it is called
 * for.
 */
export interface Route {
  readonly name: string;
  readonly major: string;
}

interface Bucket {
  readonly remaining: number;
  /** Unix ms: when it is full again. */
  readonly until: number;
}

/** The facts about limits in an answer. */
export interface LimitFacts {
  readonly headers: Headers;
  /** Milliseconds: of an answer 429. */
  readonly retryMs?: number;
  /** The answer 429 is about all calls. */
  readonly isGlobal?: boolean;
}

/**
 * Sources: https://docs.discord.com/developers/topics/rate-limits. Limits are learnt from answers
 * and never known before.
 */
export class RateLimits {
  /** The platform's name for the bucket of a route, which several routes may share. */
  readonly #names = new Map<string, string>();
  readonly #buckets = new Map<string, Bucket>();
  #allUntil = 0;

  /** Milliseconds until a call of this route may be made. */
  waitMs(route: Route): number {
    const now = Date.now();
    const bucket = this.#buckets.get(this.#key(route));
    const ownMs = bucket !== undefined && bucket.remaining < 1 ? bucket.until - now : 0;
    return Math.max(0, ownMs, this.#allUntil - now);
  }

  /** A call is made: others that begin before its answer comes count on what is left. */
  take(route: Route): void {
    const key = this.#key(route);
    const bucket = this.#buckets.get(key);
    if (bucket && bucket.until > Date.now())
      this.#buckets.set(key, { ...bucket, remaining: bucket.remaining - 1 });
    else this.#buckets.delete(key);
  }

  learn(route: Route, { headers, retryMs, isGlobal = false }: LimitFacts): void {
    const name = headers.get("x-ratelimit-bucket") ?? undefined;
    if (name !== undefined) this.#names.set(route.name, name);
    if (retryMs !== undefined && isGlobal) {
      this.#allUntil = Math.max(this.#allUntil, Date.now() + retryMs);
      return;
    }
    const remaining = retryMs === undefined ? Number(headers.get("x-ratelimit-remaining") ?? NaN) : 0;
    const ms = retryMs ?? Number(headers.get("x-ratelimit-reset-after") ?? NaN) * 1_000;
    if (!Number.isFinite(remaining) || !Number.isFinite(ms)) return;
    this.#keep(this.#key(route), { remaining, until: Date.now() + ms });
  }

  #key({ name, major }: Route): string {
    return `${this.#names.get(name) ?? name} ${major}`;
  }

  /** Answers may come in another order than calls, so within one period the lowest count holds. */
  #keep(key: string, bucket: Bucket): void {
    const known = this.#buckets.get(key);
    const isSamePeriod = known !== undefined && known.until > Date.now();
    const remaining = isSamePeriod ? Math.min(known.remaining, bucket.remaining) : bucket.remaining;
    const until = isSamePeriod ? Math.max(known.until, bucket.until) : bucket.until;
    this.#buckets.set(key, { remaining, until });
    if (this.#buckets.size <= maxBuckets) return;
    const now = Date.now();
    for (const [one, { until: end }] of this.#buckets) if (end <= now) this.#buckets.delete(one);
  }
}

/**
 * Returns the route of a call: ids and tokens are not part of it, but for the first channel, server
 * or webhook, which has limits of its own.
 */
export function routeOf(method: string, path: string): Route {
  const [plain = ""] = path.split("?");
  const [, kind, major = "", token = ""] = /^\/(channels|guilds|webhooks)\/(\d+)(\/[^/]+)?/.exec(plain) ?? [];
  const name = plain
    .replace(/^\/(interactions|webhooks)\/\d+\/[^/]+/, "/$1/:id/:token")
    .replace(/\d{15,20}/g, ":id");
  return { name: `${method} ${name}`, major: kind === "webhooks" ? major + token : major };
}
