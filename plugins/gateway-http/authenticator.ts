import { lacking, scopesFor } from "@gantry/sdk/fill";
import type { Audit, Caller, Logger, People, Route } from "@gantry/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Devices, Known } from "./devices.ts";
import { errors } from "./errors.ts";
import { hasForwarding, repeated } from "./gate.ts";
import { isLoopback } from "./peer.ts";
import { protocolToken } from "./protocol-token.ts";

export interface AuthenticatorDeps {
  readonly devices: Devices;
  readonly people: People;
  readonly requirePairing: boolean;
  readonly audit: Audit;
  readonly log: Logger;
}

/**
 * Says who asks, and whether they may. Each route carries its own answer to what it needs, so no
 * spelling of a path leads around it.
 */
export class Authenticator {
  readonly #deps: AuthenticatorDeps;

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the paired device that may ask this route; undefined if none is needed. The one place
   * that looks at scopes: a route that states none needs `manage`. Throws GATEWAY_UNAUTHORIZED,
   * GATEWAY_TOKEN_EXPIRED, GATEWAY_REMOTE and SCOPE_MISSING.
   */
  async admit(
    route: Pick<Route, "auth" | "may" | "alsoMay">,
    request: FastifyRequest,
    reply: FastifyReply,
    found: Known | undefined,
  ): Promise<Caller | undefined> {
    if (route.auth !== "token") return undefined;
    const caller = await this.known(request, reply, found);
    const needed = scopesFor(route);
    const missing = caller && needed.find((one) => !caller.may.includes(one));
    if (!caller || missing === undefined) return caller;
    await this.recordFailure(request, `the scope ${missing} is missing`, caller.device);
    throw lacking(missing, caller, needed);
  }

  /**
   * Returns the facts of a request's token; undefined for any other request, and without pairing.
   */
  async find(request: FastifyRequest): Promise<Known | undefined> {
    const token = this.#deps.requirePairing ? tokenOf(request) : undefined;
    return token === undefined || repeated(request, "authorization")
      ? undefined
      : this.#deps.devices.find(token);
  }

  /** Returns the device whose requests of this token count for it, not for its address. */
  counted(found: Known | undefined): string | undefined {
    return found && !this.#deps.devices.isOver(found.expires) ? found.caller.device : undefined;
  }

  /** Returns the paired device that asks, whatever its token may, as `admit` does. */
  async known(
    request: FastifyRequest,
    reply: FastifyReply,
    known: Known | undefined,
  ): Promise<Caller | undefined> {
    const { devices, people, requirePairing } = this.#deps;
    if (!requirePairing) {
      // A header that names a client can be made up: whatever came by a proxy is not from this
      // machine.
      if (!isLoopback(request.raw.socket.remoteAddress ?? "") || hasForwarding(request.headers))
        throw errors.GATEWAY_REMOTE();
      return undefined;
    }
    if (known && !devices.isOver(known.expires)) {
      devices.used(known.caller.device);
      return { ...known.caller, may: people.may(known.caller) };
    }
    const none = tokenOf(request) === undefined ? "no token" : "wrong token";
    const why = known ? "the token has run out" : none;
    await this.recordFailure(request, why, known?.caller.device);
    reply.header("www-authenticate", "Bearer");
    throw known
      ? errors.GATEWAY_TOKEN_EXPIRED(known.caller.device, known.expires)
      : errors.GATEWAY_UNAUTHORIZED();
  }

  /** Records a refusal, which stands whether or not it can be recorded. */
  async recordFailure(request: FastifyRequest, why: string, device = "unknown"): Promise<void> {
    const { audit, log } = this.#deps;
    const path = request.url.split("?", 1)[0]?.slice(0, 256);
    const args = { method: request.method, path, peer: request.ip };
    try {
      await audit.recordStranger({
        event_type: "auth_failure",
        tool: "",
        args,
        result: `refused: ${why}`,
        user: `http:${device}`,
        session_id: "",
      });
    } catch (error) {
      log.error({ err: error }, "A refused request could not be recorded in the audit log.");
    }
  }
}

/** Reads the token of the header, or of a handshake without one its subprotocol. */
function tokenOf({ headers: { authorization }, raw }: FastifyRequest): string | undefined {
  return authorization === undefined ? protocolToken(raw) : bearerOf(authorization);
}

/** Reads the token of a header Authorization. */
export function bearerOf(authorization: unknown): string | undefined {
  return /^Bearer ([^\s,]+)$/i.exec(String(authorization))?.[1];
}
