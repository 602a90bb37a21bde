import type { AddressInfo } from "node:net";
import type { Audit, Logger, Route } from "@gantry/sdk";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createApp } from "./app.ts";
import { arrivalMs } from "./arrival.ts";
import { bindAddress, listenFailure, urlAt, type Tls } from "./bind.ts";
import type { GatewayConfig } from "./config.ts";
import { maxConnections } from "./connections.ts";
import type { Devices } from "./devices.ts";
import { Doorkeeper } from "./doorkeeper.ts";
import { errors } from "./errors.ts";
import { Gate } from "./gate.ts";
import { Limiter } from "./limiter.ts";
import { mount, type MountDeps } from "./mount.ts";
import { describe, openApiRoute } from "./openapi.ts";
import { pathOf } from "./path.ts";
import { addressList, peerKey } from "./peer.ts";
import type { Pairing } from "./pairing.ts";

export interface ServerDeps {
  readonly config: GatewayConfig;
  readonly routes: readonly Route[];
  readonly tls: Tls | undefined;
  readonly devices: Devices;
  readonly pairing: Pairing;
  readonly audit: Audit;
  readonly log: Logger;
  readonly version: string;
}

export interface Server {
  readonly url: string;
  /** Answers what is in hand; `signal` cuts it. */
  close(signal: AbortSignal): Promise<void>;
}

/** Builds the server, mounts every route and listens. Throws GATEWAY_* errors. */
export async function openServer(deps: ServerDeps): Promise<Server> {
  const { config, tls, log } = deps;
  const trusted = addressList(config.trusted_proxies);
  const app = createApp({ tls, trusted, log, arrivalMs });
  const guards = {
    doorkeeper: new Doorkeeper(deps.devices, config.require_pairing, deps.audit, log),
    limiter: await Limiter.on(app),
  };
  const state = { stopping: false };
  await describe(app, deps.version);
  guardAll(app, new Gate(config, trusted), deps.pairing, guards, state);
  mountAll(app, [...deps.routes, openApiRoute(app)], guards, log);
  try {
    await app.listen({ host: bindAddress(config.host), port: config.port });
  } catch (error) {
    await app.close();
    throw listenFailure(error as NodeJS.ErrnoException, config.host, config.port);
  }
  app.server.maxConnections = maxConnections();
  const { port } = app.server.address() as AddressInfo;
  return { url: urlAt(config.host, port, tls !== undefined), close: (signal) => close(app, state, signal) };
}

/** The first hook of every request, known or not. */
function guardAll(
  app: FastifyInstance,
  gate: Gate,
  pairing: Pairing,
  { limiter, doorkeeper }: MountDeps,
  state: { stopping: boolean },
): void {
  /** Only who may come in learns that there is nothing; a body is not even read. */
  const unknownRoute = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    if (/[A-Z]/.test(pathOf(request.raw.url ?? ""))) throw errors.GATEWAY_BAD_PATH();
    await limiter.shared(request);
    await doorkeeper.admit("token", request, reply);
    throw errors.GATEWAY_NOT_FOUND();
  };
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    const refusal = state.stopping ? errors.GATEWAY_STOPPING() : gate.refusal(request);
    if (refusal?.code === "GATEWAY_UNTRUSTED_PROXY" && request.routeOptions.url === "/pair") {
      // A guess is a guess, whatever headers it came with.
      return void pairing.countFailure(peerKey(request.ip)).then(() => done(refusal), done);
    }
    if (refusal || !request.is404) return done(refusal);
    unknownRoute(request, reply).catch(done);
  });
  app.addHook("onResponse", (_request, _reply, done) => {
    done();
    if (state.stopping) setImmediate(() => app.server.closeIdleConnections());
  });
}

function mountAll(app: FastifyInstance, routes: readonly Route[], guards: MountDeps, log: Logger): void {
  const names = new Set<string>();
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    if (names.has(name)) throw errors.GATEWAY_ROUTE_TWICE(name);
    names.add(name);
    if (route.warning !== undefined) log.warn({ route: name }, route.warning);
    mount(app, route, guards);
  }
}

async function close(app: FastifyInstance, state: { stopping: boolean }, signal: AbortSignal): Promise<void> {
  state.stopping = true;
  const cut = (): void => app.server.closeAllConnections();
  if (signal.aborted) cut();
  else signal.addEventListener("abort", cut, { once: true });
  await app.close();
  signal.removeEventListener("abort", cut);
}
