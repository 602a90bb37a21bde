import {
  Approvals,
  Audit,
  Checks,
  Commands,
  definePlugin,
  Inbox,
  PairingCodes,
  Routes,
  Runtime,
  Services,
  Store,
} from "@gantry/sdk";
import { gatewayCommand, pairCommands } from "./commands.ts";
import { config } from "./config.ts";
import { Devices } from "./devices.ts";
import { errors } from "./errors.ts";
import { Pairing } from "./pairing.ts";
import type { Server } from "./server.ts";

export default definePlugin({
  name: "gateway-http",
  summary: "The HTTP gateway: pairing, chat, approvals, and other plugins' routes.",
  table: "gateway",
  config,
  needs: { approvals: Approvals, audit: Audit, inbox: Inbox, routes: Routes, runtime: Runtime, store: Store },
  provides: [Checks, Commands, PairingCodes, Services],
  errors,
  setup(host) {
    const { needs, log } = host;
    const devices = (): Devices => new Devices(needs.store.values);
    let table = host.config;
    let server: Server | undefined;

    host.provide(Services, {
      name: "gateway",
      async start() {
        const { openGateway } = await import("./gateway.ts");
        server = await openGateway(table, needs, log);
      },
      async stop(signal) {
        await server?.close(signal);
        server = undefined;
      },
    });
    // One of these for the life of the process: it takes tries one by one.
    let pairing: Pairing | undefined;
    host.provide(PairingCodes, {
      redeem: (code, peer) => (pairing ??= new Pairing(needs.store, table)).redeem(code, peer),
    });
    const listen = (where: { host?: string; port?: number }): void => {
      table = { ...table, ...where };
    };
    host.provide(Commands, gatewayCommand(listen));
    for (const command of pairCommands(() => new Pairing(needs.store, table), devices, needs.audit))
      host.provide(Commands, command);
    for (const kind of ["status", "doctor"] as const) {
      const run = async () =>
        (await import("./checks.ts")).gatewayRows(kind, table, needs.runtime.configDir, devices());
      host.provide(Checks, { name: `gateway-${kind}`, kind, run });
    }
  },
});
