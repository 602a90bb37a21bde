import type { Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Audit, Logger, Meters, People, Route } from "@gantry/sdk";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { createApp } from "./app.ts";
import { bindAddress, listenFailure, urlAt, type Tls } from "./bind.ts";
import { watchCertificate } from "./certificate-watch.ts";
import type { GatewayConfig } from "./config.ts";
import { AddressBound, maxConnections } from "./connections.ts";
import type { Devices } from "./devices.ts";
import { Authenticator } from "./authenticator.ts";
import { errors } from "./errors.ts";
import { createFailureLog } from "./failures.ts";
import { Gate, isAboutServer } from "./gate.ts";
import { Limiter } from "./limiter.ts";
import { registerRoute, type RouteGuards } from "./register-route.ts";
import { OpenBound } from "./open-bound.ts";
import { openApiRoute } from "./openapi.ts";
import { pathOf } from "./path.ts";
import { addressList, peerKey } from "./peer.ts";
import { lastMs } from "./timeouts.ts";
import { traceparentOf } from "./request-line.ts";
import type { Pairing } from "@gantry/sdk/node";

export interface ServerDeps {
  readonly config: GatewayConfig;
  readonly routes: readonly Route[];
  readonly tls: Tls | undefined;
  /** The folder that paths in the configuration are relative to. */
  readonly configDir: string;
  readonly devices: Devices;
  readonly pairing: Pairing;
  readonly people: People;
  readonly audit: Audit;
  readonly log: Logger;
  readonly meters: Meters | undefined;
  readonly version: string;
}

export interface Server {
  readonly url: string;
  /** Answers what is in hand; `signal` cuts it. */
  close(signal: AbortSignal): Promise<void>;
}

/** Builds the server, registers every route and listens. Throws GATEWAY_* errors. */
export async function openServer(deps: ServerDeps): Promise<Server> {
  const { config, tls, log } = deps;
  const trusted = addressList(config.trusted_proxies);
  const app = createApp({ tls, trusted, log });
  const [began, over] = [new AbortController(), new AbortController()];
  const guards = {
    stop: { began: began.signal, over: over.signal },
    authenticator: new Authenticator({ ...deps, requirePairing: config.require_pairing }),
    limiter: await Limiter.on(app, config.requests_per_minute),
    brokeLate: createFailureLog(log),
    sockets: OpenBound.ofSockets(),
    requests: OpenBound.ofRequests(),
  };
  const routes = [...deps.routes, openApiRoute(deps.routes, deps.version)];
  await app.register(rootGuards, { ...deps, ...guards, routes, gate: new Gate(config, trusted) });
  registerAll(app, routes, guards, log);
  try {
    await app.listen({ host: bindAddress(config.host), port: config.port });
  } catch (error) {
    await app.close();
    throw listenFailure(error as NodeJS.ErrnoException, config.host, config.port);
  }
  app.server.maxConnections = maxConnections();
  const dropped = createFailureLog(log);
  const bound = new AddressBound((peer) => dropped(errors.GATEWAY_CONNECTIONS(peer), undefined));
  bound.watch(app.server, trusted);
  const { port } = app.server.address() as AddressInfo;
  const unwatch = tls
    ? watchCertificate(app.server as HttpsServer, config, deps.configDir, log)
    : () => undefined;
  return {
    url: urlAt(config.host, port, tls !== undefined),
    close(signal) {
      unwatch();
      return close(app, { began, over }, signal);
    },
  };
}

interface Guarding extends RouteGuards {
  readonly gate: Gate;
  readonly pairing: Pairing;
  readonly routes: readonly Route[];
  readonly meters: Meters | undefined;
}

/** Adds its guards to the root of the app; refused if nothing counts requests there. */
export const rootGuards = fp(async (app: FastifyInstance, guarding: Guarding) => guardAll(app, guarding), {
  name: "gantry-guards",
  fastify: "5.x",
  dependencies: ["gantry-limits"],
});

/** Adds the first hook of every request, known or not. */
function guardAll(app: FastifyInstance, guarding: Guarding): void {
  const { gate, pairing, stop } = guarding;
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": request.id,
    });
    const traceparent = traceparentOf(request.raw);
    if (traceparent !== undefined) reply.header("traceparent", traceparent);
    const refusal = stop.began.aborted ? errors.GATEWAY_STOPPING() : gate.refusal(request);
    if (refusal?.code === "GATEWAY_UNTRUSTED_PROXY" && request.routeOptions.url === "/pair") {
      // A guess is a guess, whatever headers it came with.
      return void pairing.countFailure(peerKey(request.ip)).then(() => done(refusal), done);
    }
    if (refusal || !request.is404) return done(refusal);
    refuseUnknown(guarding, request, reply).catch(done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    done();
    const { method = "", url = "none" } = request.is404
      ? {}
      : { method: request.method, url: request.routeOptions.url };
    guarding.meters?.count("http_requests_total", { method, route: url, status: String(reply.statusCode) });
    if (stop.began.aborted) setImmediate(() => app.server.closeIdleConnections());
  });
}

/**
 * Refuses an unknown path. Only clients that may come in learn that there is nothing; a body is not
 * even read.
 */
async function refuseUnknown(
  { routes, limiter, authenticator }: Guarding,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (isAboutServer(request)) return void reply.code(204).header("allow", allowed(routes)).send();
  const path = pathOf(request.raw.url ?? "");
  if (/[A-Z]/.test(path)) throw errors.GATEWAY_BAD_PATH();
  const found = await authenticator.find(request);
  await limiter.shared(request, authenticator.counted(found));
  const here = routes.filter((route) => isAt(route.path, path));
  if (here.every(({ auth }) => auth === "token")) await authenticator.known(request, reply, found);
  if (here.length === 0) throw errors.GATEWAY_NOT_FOUND();
  const allow = allowed(here);
  throw Object.assign(errors.GATEWAY_METHOD(request.method, allow), { allow });
}

/** Returns the methods of routes, as `Allow` names them. */
function allowed(routes: readonly Route[]): string {
  const methods = new Set<string>(routes.map(({ method }) => method));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted().join(", ");
}

/** Returns true if a path matches a route's own, with its `:parameters`. */
function isAt(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return (
    wanted.length === given.length && wanted.every((part, i) => part.startsWith(":") || part === given[i])
  );
}

function registerAll(app: FastifyInstance, routes: readonly Route[], guards: RouteGuards, log: Logger): void {
  const names = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    if (names.has(name)) throw errors.GATEWAY_ROUTE_TWICE(name);
    names.add(name);
    if (route.warning !== undefined) log.warn({ route: name }, route.warning);
    registerRoute(app, route, guards);
  }
}

async function close(
  app: FastifyInstance,
  { began, over }: { readonly began: AbortController; readonly over: AbortController },
  signal: AbortSignal,
): Promise<void> {
  const why = errors.GATEWAY_STOPPING();
  began.abort(why);
  const cut = (): void => {
    over.abort(why);
    // Streams that do not heed it are ended before that.
    setTimeout(() => app.server.closeAllConnections(), 2 * lastMs).unref();
  };
  if (signal.aborted) cut();
  else signal.addEventListener("abort", cut, { once: true });
  await app.close();
  signal.removeEventListener("abort", cut);
}
