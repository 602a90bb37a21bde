import type {
  Approvals,
  Audit,
  Check,
  Inbox,
  Logger,
  Media,
  Meters,
  People,
  Route,
  Runtime,
  Store,
  ToolQuestions,
} from "@gantry/sdk";
import { openBind, readTls } from "./bind.ts";
import type { GatewayConfig } from "./config.ts";
import { Devices } from "./devices.ts";
import { Pairing } from "@gantry/sdk/node";
import { approvalRoutes } from "./route-approvals.ts";
import { chatRoute } from "./route-chat.ts";
import { deviceRoutes, signOutRoute } from "./route-devices.ts";
import { healthRoute } from "./route-health.ts";
import { pairRoute } from "./route-pair.ts";
import { mediaRoute } from "./route-media.ts";
import { questionRoute } from "./route-questions.ts";
import { readyRoute } from "./route-ready.ts";
import { openServer, type Server } from "./server.ts";

export interface GatewayNeeds {
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly checks: ReadonlyMap<string, Check>;
  readonly inbox: Inbox;
  readonly media: Media | undefined;
  readonly meters: Meters | undefined;
  readonly people: People;
  readonly questions: ToolQuestions | undefined;
  readonly routes: ReadonlyMap<string, Route>;
  readonly runtime: Runtime;
  readonly store: Store;
}

/** Starts the gateway with its own routes and everybody else's. Throws GATEWAY_* errors. */
export async function openGateway(config: GatewayConfig, needs: GatewayNeeds, log: Logger): Promise<Server> {
  const refusal = openBind(config.host, config);
  if (refusal) throw refusal;
  const { approvals, audit, inbox, routes, runtime, store } = needs;
  const pairing = new Pairing(store, config, log);
  const devices = new Devices(store.values);
  const own = [
    healthRoute(runtime, devices, config.require_pairing),
    readyRoute(() => needs.checks, log),
    pairRoute(pairing, devices, audit),
    chatRoute(inbox),
    ...approvalRoutes(approvals),
    ...(needs.questions ? [questionRoute(needs.questions)] : []),
    mediaRoute(store.sessions, needs.media),
    ...deviceRoutes(devices, pairing, audit),
    signOutRoute(devices, audit),
  ];
  const tls = await readTls(config, runtime.configDir);
  const { version } = runtime;
  const server = await openServer({
    config,
    routes: [...own, ...routes.values()],
    tls,
    configDir: runtime.configDir,
    devices,
    pairing,
    people: needs.people,
    audit,
    log,
    meters: needs.meters,
    version,
  });
  log.info({ url: server.url }, `The gateway listens on ${server.url}.`);
  const isFirst = !announced.has(runtime.configDir);
  announced.add(runtime.configDir);
  if (config.require_pairing && isFirst)
    await announceCode(pairing, {
      minutes: config.pairing_timeout_minutes,
      // Somebody without a device opens the page that a plugin serves, if there is one.
      page: (await devices.hasAny()) ? undefined : pageOf(routes, server.url),
      log,
    });
  return server;
}

/**
 * Configuration directories whose code was said by this process: reading the file again does not
 * end a code.
 */
const announced = new Set<string>();

/**
 * Prints the code once, for whoever started the service: the log keeps secrets out, so the code
 * does not go there. Under a service manager nobody started it by hand, and its output is kept.
 */
async function announceCode(
  pairing: Pairing,
  { minutes, page, log }: { minutes: number; page: string | undefined; log: Logger },
): Promise<void> {
  if (process.env["INVOCATION_ID"] !== undefined && !process.stderr.isTTY)
    return log.info({}, "To pair a device, make a code with `gantry pair new`.");
  const { code } = await pairing.create();
  process.stderr.write(
    `Pairing code: ${code} (one use, ${minutes} minutes; another with \`gantry pair new\`)\n`,
  );
  if (page !== undefined) process.stderr.write(`Console: ${page}#code=${code}\n`);
}

/** Returns the address of the console, as a browser on this machine opens it. */
function pageOf(routes: ReadonlyMap<string, Route>, url: string): string | undefined {
  const isServed = [...routes.values()].some(({ method, path }) => method === "GET" && path === "/console");
  const here = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  return isServed ? `${here}/console` : undefined;
}
