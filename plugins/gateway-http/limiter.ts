import rateLimit from "@fastify/rate-limit";
import type { Route } from "@gantry/sdk";
import type { FastifyInstance, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { errors } from "./errors.ts";
import { peerKey } from "./peer.ts";

/** Adds the counting of requests to the root of the app. */
const limits = fp(
  async (app: FastifyInstance) => {
    await app.register(rateLimit, { global: false, timeWindow: 60_000, cache: 10_000 });
  },
  { name: "gantry-limits", fastify: "5.x" },
);

/**
 * Counts a request for the device with a good token, else for its address. Throws
 * GATEWAY_RATE_LIMIT.
 */
type Limit = (request: FastifyRequest, device: string | undefined) => Promise<void>;

/** A good token may ask for several people or programs at one address. */
const tokenFactor = 10;

/** The device that a request counts for. */
const device = Symbol("device");
type Counted = FastifyRequest & { [device]?: string };

function deviceOf(request: FastifyRequest): string {
  return (request as Counted)[device] ?? "";
}

/**
 * Requests a minute for one address, or for one good token: one budget for all of /api/* and for
 * what does not exist, one for each other route.
 */
export class Limiter {
  readonly #app: FastifyInstance;
  readonly #perMinute: number;
  readonly shared: Limit;

  private constructor(app: FastifyInstance, perMinute: number) {
    this.#app = app;
    this.#perMinute = perMinute;
    this.shared = this.#limit(perMinute, perMinute * tokenFactor);
  }

  static async on(app: FastifyInstance, perMinute: number): Promise<Limiter> {
    await app.register(limits);
    return new Limiter(app, perMinute);
  }

  /** Returns undefined for a route that sets no bound. */
  of({ path, perMinute }: Route): Limit | undefined {
    if (perMinute === Number.POSITIVE_INFINITY) return undefined;
    if (perMinute !== undefined) return this.#limit(perMinute, perMinute);
    return path.startsWith("/api/")
      ? this.shared
      : this.#limit(this.#perMinute, this.#perMinute * tokenFactor);
  }

  #limit(address: number, token: number): Limit {
    type Count = ReturnType<FastifyInstance["createRateLimit"]>;
    // Most routes are not asked in the life of a service.
    let [byToken, byAddress]: (Count | undefined)[] = [];
    const tokens = () => (byToken ??= this.#app.createRateLimit({ max: token, keyGenerator: deviceOf }));
    const addresses = () =>
      (byAddress ??= this.#app.createRateLimit({
        max: address,
        keyGenerator: ({ ip }) => peerKey(ip),
      }));
    return async (request: Counted, known) => {
      if (known !== undefined) request[device] = known;
      const used = await (known === undefined ? addresses() : tokens())(request);
      if (used.isAllowed || !used.isExceeded) return;
      const from = known === undefined ? "from this address" : "with this token";
      const wait = { retryAfter: used.ttlInSeconds };
      throw Object.assign(errors.GATEWAY_RATE_LIMIT(from, used.ttlInSeconds), wait);
    };
  }
}
