import type { Audit, Logger, RouteAuth } from "@gantry/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { hasForwarding, repeated } from "./gate.ts";
import { isLoopback } from "./peer.ts";

/** Says who asks. Each route carries its own answer to what it needs, so no spelling of a path leads around it. */
export class Authenticator {
  readonly #devices: Devices;
  readonly #requirePairing: boolean;
  readonly #audit: Audit;
  readonly #log: Logger;

  constructor(devices: Devices, requirePairing: boolean, audit: Audit, log: Logger) {
    this.#devices = devices;
    this.#requirePairing = requirePairing;
    this.#audit = audit;
    this.#log = log;
  }

  /** The id of the paired device, where one is needed. Throws GATEWAY_UNAUTHORIZED and GATEWAY_REMOTE. */
  async admit(auth: RouteAuth, request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
    if (auth !== "token") return undefined;
    if (!this.#requirePairing) {
      // A header that names a client can be made up: whatever came by a proxy is not from this machine.
      if (!isLoopback(request.raw.socket.remoteAddress ?? "") || hasForwarding(request.headers))
        throw errors.GATEWAY_REMOTE();
      return undefined;
    }
    const [, token] = /^Bearer ([^\s,]+)$/i.exec(request.headers.authorization ?? "") ?? [];
    const device =
      token === undefined || repeated(request, "authorization") ? undefined : await this.#devices.find(token);
    if (device) return device.device_id;
    await this.recordFailure(request, token === undefined ? "no token" : "wrong token");
    reply.header("www-authenticate", "Bearer");
    throw errors.GATEWAY_UNAUTHORIZED();
  }

  /** The refusal stands whether or not it can be recorded. */
  async recordFailure(request: FastifyRequest, why: string): Promise<void> {
    const path = request.url.split("?", 1)[0]?.slice(0, 256);
    const args = { method: request.method, path, peer: request.ip };
    try {
      await this.#audit.recordStranger({
        event_type: "auth_failure",
        tool: "",
        args,
        result: `refused: ${why}`,
        user: "http:unknown",
        session_id: "",
      });
    } catch (error) {
      this.#log.error({ err: error }, "A refused request could not be recorded in the audit log.");
    }
  }
}
