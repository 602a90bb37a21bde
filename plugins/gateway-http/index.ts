import {
  Approvals,
  Audit,
  Checks,
  Commands,
  definePlugin,
  Inbox,
  Media,
  Meters,
  optional,
  People,
  Routes,
  Runtime,
  Services,
  Standings,
  Store,
  ToolQuestions,
} from "@gantry/sdk";
import { Clock } from "./clock.ts";
import { gatewayCommand, pairCommands } from "./commands.ts";
import { config, type GatewayConfig } from "./config.ts";
import { Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { Pairing } from "@gantry/sdk/node";
import type { Server } from "./server.ts";

/**
 * The command line's words about the address to listen on: they hold for this process, also when
 * its configuration is read again.
 */
let listenAt: { readonly host?: string; readonly port?: number } = {};

export default definePlugin({
  name: "gateway-http",
  summary: "The HTTP gateway: pairing, chat, approvals, and other plugins' routes.",
  table: "gateway",
  config,
  needs: {
    approvals: Approvals,
    audit: Audit,
    checks: Checks,
    inbox: Inbox,
    media: optional(Media),
    meters: optional(Meters),
    people: People,
    questions: optional(ToolQuestions),
    routes: Routes,
    runtime: Runtime,
    store: Store,
  },
  provides: [Checks, Commands, Services, Standings],
  errors,
  setup(host) {
    const { needs, log } = host;
    const devices = (): Devices => new Devices(needs.store.values);
    const table = (): GatewayConfig => ({ ...host.config, ...listenAt });
    let server: Server | undefined;

    host.provide(Services, {
      name: "gateway",
      async start() {
        const { openGateway } = await import("./gateway.ts");
        server = await openGateway(table(), needs, log);
      },
      async stop(signal) {
        await server?.close(signal);
        server = undefined;
      },
    });
    host.provide(Standings, {
      name: "devices",
      async trust(id) {
        if (id === "local") return host.config.require_pairing ? undefined : "owner";
        return devices().trust(id, (caller) => needs.people.may(caller));
      },
    });
    host.onServe(async () => void (await import("./checks.ts")));
    const clock = new Clock();
    host.provide(Checks, { name: "clock", kind: "ready", run: async () => clock.rows() });
    host.provide(
      Commands,
      gatewayCommand((where) => (listenAt = where)),
    );
    for (const command of pairCommands(() => new Pairing(needs.store, table()), devices, needs.audit))
      host.provide(Commands, command);
    host.provide(Checks, {
      name: "gateway-ready",
      kind: "ready",
      run: async () => (await import("./checks.ts")).readyRows(table(), needs.runtime.configDir),
    });
    for (const kind of ["status", "doctor"] as const) {
      const run = async () =>
        (await import("./checks.ts")).gatewayRows(kind, table(), needs.runtime.configDir, {
          devices: devices(),
          people: needs.people,
        });
      host.provide(Checks, { name: `gateway-${kind}`, kind, run });
    }
  },
});
