import type { Audit, Logger, RouteAuth } from "@gantry/sdk";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { hasForwarding, repeated } from "./gate.ts";
import { isLoopback } from "./peer.ts";

/** Refusals that are recorded in a minute: no stranger may fill the disk with them. */
const maxRecords = 60;

/** Says who asks. Each route carries its own answer to what it needs, so no spelling of a path leads around it. */
export class Authenticator {
  readonly #devices: Devices;
  readonly #requirePairing: boolean;
  readonly #audit: Audit;
  readonly #log: Logger;
  readonly #records = new RateCounter(maxRecords);

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

  /** The refusal stands whether or not it can be recorded; a record counts those before it that were too many. */
  async recordFailure(request: FastifyRequest, why: string): Promise<void> {
    const unrecorded = this.#records.take();
    if (unrecorded === undefined) return;
    const path = request.url.split("?", 1)[0]?.slice(0, 256);
    const args = { method: request.method, path, peer: request.ip, ...(unrecorded > 0 && { unrecorded }) };
    try {
      await this.#audit.record({
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

const minuteMs = 60_000;

/** So many in a minute; what is beyond is only counted. */
class RateCounter {
  readonly #max: number;
  #until = 0;
  #taken = 0;
  #beyond = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many were beyond since the last one that was not; undefined where this one is beyond, too. */
  take(): number | undefined {
    if (this.#until <= Date.now()) {
      this.#until = Date.now() + minuteMs;
      this.#taken = 0;
    }
    if (this.#taken >= this.#max) {
      this.#beyond += 1;
      return undefined;
    }
    this.#taken += 1;
    const beyond = this.#beyond;
    this.#beyond = 0;
    return beyond;
  }
}
