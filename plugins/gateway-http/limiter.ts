import rateLimit from "@fastify/rate-limit";
import type { Route } from "@gantry/sdk";
import type { FastifyInstance, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { errors } from "./errors.ts";
import { peerKey } from "./peer.ts";

/** Gives the root of the app what counts requests. */
const limits = fp(
  async (app: FastifyInstance) => {
    await app.register(rateLimit, {
      global: false,
      timeWindow: 60_000,
      cache: 10_000,
      keyGenerator: (request) => peerKey(request.ip),
    });
  },
  { name: "gantry-limits", fastify: "5.x" },
);

type Hook = (request: FastifyRequest) => Promise<void>;

/** Requests a minute for one peer: one budget for all of /api/* and for what does not exist, one for each other route. */
export class Limiter {
  readonly #app: FastifyInstance;
  readonly shared: Hook;

  private constructor(app: FastifyInstance) {
    this.#app = app;
    this.shared = this.#hook(60);
  }

  static async on(app: FastifyInstance): Promise<Limiter> {
    await app.register(limits);
    return new Limiter(app);
  }

  /** Undefined for a route that sets no bound. */
  of(route: Route): Hook | undefined {
    if (route.perMinute === Number.POSITIVE_INFINITY) return undefined;
    return route.path.startsWith("/api/") && route.perMinute === undefined
      ? this.shared
      : this.#hook(route.perMinute ?? 60);
  }

  #hook(max: number): Hook {
    const check = this.#app.createRateLimit({ max });
    return async (request) => {
      const used = await check(request);
      if (used.isAllowed || !used.isExceeded) return;
      throw Object.assign(errors.GATEWAY_RATE_LIMIT(used.ttlInSeconds), { retryAfter: used.ttlInSeconds });
    };
  }
}
