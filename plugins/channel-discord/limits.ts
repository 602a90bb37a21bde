import { PlatformFailure } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";

/** Waits that are remembered; more are looked through for what is over. */
const maxWaits = 1_000;
/** The key of the wait for every call. */
const all = "all";
/**
 * The platform shuts an address out after 10,000 in ten minutes; a channel that comes this far does
 * something wrong.
 */
const maxRefused = 20;
const periodMs = 600_000;

/** A call as its limit counts it, and the channel, server or webhook that it is for. */
export interface Route {
  readonly name: string;
  readonly major: string;
}

/**
 * The limits of the platform, learnt from its answers:
 * https://docs.discord.com/developers/topics/rate-limits
 */
export class Limits {
  /** The platform's name for the bucket of a route, which several routes may share. */
  readonly #names = new Map<string, string>();
  /** Unix ms, by bucket: nothing may be called before. */
  readonly #until = new Map<string, number>();
  #refused: readonly number[] = [];

  /** Returns the milliseconds until a call of this route may be made; throws after refusals. */
  waitMs(route: Route): number {
    const now = Date.now();
    const recent = this.#refused.filter((at) => at > now - periodMs);
    if (recent.length >= maxRefused) {
      const ms = Math.max(1, (recent.at(-maxRefused) as number) + periodMs - now);
      const sentence = errors.DISCORD_REFUSALS(maxRefused, Math.ceil(ms / 1_000)).message;
      throw new PlatformFailure("paused", sentence, ms);
    }
    return Math.max(0, ...[this.#key(route), all].map((key) => (this.#until.get(key) ?? 0) - now));
  }

  /** Learns from an answer; `afterMs` is the wait of a 429, `isGlobal` if it is for every call. */
  learn(route: Route, headers: Headers, afterMs?: number, isGlobal: boolean = false): void {
    const name = headers.get("x-ratelimit-bucket");
    if (name !== null) this.#names.set(route.name, name);
    const isUsedUp = headers.get("x-ratelimit-remaining") === "0";
    const resetMs = isUsedUp ? Number(headers.get("x-ratelimit-reset-after")) * 1_000 : 0;
    this.#wait(afterMs !== undefined && isGlobal ? all : this.#key(route), afterMs ?? resetMs);
  }

  /** Counts an answer that the platform holds against the caller. */
  refused(): void {
    this.#refused = [...this.#refused, Date.now()].slice(-maxRefused);
  }

  #key({ name, major }: Route): string {
    return `${this.#names.get(name) ?? name} ${major}`;
  }

  #wait(key: string, ms: number): void {
    if (!(ms > 0)) return;
    const now = Date.now();
    this.#until.set(key, Math.max(this.#until.get(key) ?? 0, now + ms));
    if (this.#until.size <= maxWaits) return;
    for (const [one, until] of this.#until) if (until <= now) this.#until.delete(one);
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
