import type { IncomingHttpHeaders } from "node:http";
import type { GantryError } from "@gantry/sdk";
import type { FastifyRequest } from "fastify";
import type { GatewayConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { isCanonicalPath, pathOf } from "./path.ts";

const forwarding = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "true-client-ip",
  "cf-connecting-ip",
  "fly-client-ip",
]);
/** The name without the dot that ends a whole one, and the port. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+?)\.?(?::(\d{1,5}))?$/;
const probes: ReadonlySet<string> = new Set(["/health", "/ready"]);
const wildcards = new Set(["0.0.0.0", "[::]"]);

/**
 * Checks that hold for every route, against pages in the owner's browser and against proxies nobody
 * named.
 */
export class Gate {
  readonly #own: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string>;
  readonly #trusted: (address: string | undefined) => boolean;

  constructor(config: GatewayConfig, trusted: (address: string | undefined) => boolean) {
    this.#own = new Set(
      ["localhost", "127.0.0.1", "[::1]", bracketed(config.host)].filter((name) => !wildcards.has(name)),
    );
    this.#allowed = new Set(config.allowed_hosts.map((name) => name.toLowerCase()));
    this.#trusted = trusted;
  }

  /** Returns the first thing wrong with a request, or undefined. */
  refusal(request: FastifyRequest): GantryError | undefined {
    const { headers, httpVersion, socket } = request.raw;
    if (headers.host === undefined && httpVersion !== "1.0") return errors.GATEWAY_BAD_REQUEST();
    if (!isAboutServer(request) && !isCanonicalPath(pathOf(request.raw.url ?? "")))
      return errors.GATEWAY_BAD_PATH();
    const coding = headers["transfer-encoding"];
    if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") return errors.GATEWAY_TRANSFER();
    const host = headers.host?.toLowerCase() ?? "";
    if (repeated(request, "host") || !this.#isOurs(host, socket.localAddress, socket.localPort))
      return errors.GATEWAY_FOREIGN_HOST();
    if (headers.origin !== undefined && !this.#isOurOrigin(headers.origin, host))
      return errors.GATEWAY_FOREIGN_ORIGIN();
    // A probe may come through a mesh that nobody named: it learns what everybody may know.
    if (probes.has(request.routeOptions.url ?? "")) return undefined;
    return this.isForwarded(request) ? errors.GATEWAY_UNTRUSTED_PROXY() : undefined;
  }

  /** Returns true if the request was forwarded by somebody whom `trusted_proxies` does not name. */
  isForwarded({ raw }: FastifyRequest): boolean {
    return hasForwarding(raw.headers) && !this.#trusted(raw.socket.remoteAddress);
  }

  #isOurs(host: string, localAddress: string | undefined, localPort: number | undefined): boolean {
    const [, name = "", port] = hostPattern.exec(host) ?? [];
    if (this.#allowed.has(host) || this.#allowed.has(name)) return true;
    if (port !== undefined && Number(port) !== localPort) return false;
    return (
      this.#own.has(name) ||
      (localAddress !== undefined && name === bracketed(localAddress.replace(/^::ffff:/, "")))
    );
  }

  /** Returns true if the page came from the very address that it asks, or from an allowed one. */
  #isOurOrigin(origin: string, host: string): boolean {
    if (!/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
    const { host: from } = new URL(origin);
    return from === host || this.#allowed.has(from);
  }
}

/** Returns true for `OPTIONS *`, which asks about the server and no path. */
export function isAboutServer({ raw }: FastifyRequest): boolean {
  return raw.method === "OPTIONS" && raw.url === "*";
}

/** Returns true if somebody says to have forwarded the request. */
export function hasForwarding(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith("x-forwarded-") || forwarding.has(name)) return true;
  return false;
}

/** Returns true if a header came more than once; Node keeps the first and hides the others. */
export function repeated(request: FastifyRequest, name: string): boolean {
  const { rawHeaders } = request.raw;
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const found = rawHeaders[i] as string;
    if (found.length === name.length && found.toLowerCase() === name) seen += 1;
  }
  return seen > 1;
}

function bracketed(host: string): string {
  const name = host.toLowerCase();
  return name.includes(":") && !name.startsWith("[") ? `[${name}]` : name;
}
