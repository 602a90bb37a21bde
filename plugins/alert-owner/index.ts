import { Checks, definePlugin, Meters, optional, Outbox, Routes, Services, Store } from "@gantry/sdk";
import { OwnerDoors, Redactors } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { Alerts } from "./alerts.ts";
import { Owner } from "./owner.ts";

export default definePlugin({
  name: "alert-owner",
  summary: "Tells the log and the owner what keeps the service from its work, and when that is over.",
  table: "alerts",
  config: Type.Object({
    tell_owner: Type.Boolean({
      default: true,
      description:
        "Send alerts to the channel on which an owner wrote last, alone with the agent. Without it they stand in the log only.",
    }),
    every_seconds: Type.Integer({
      // A look at a store that is in trouble takes as long again, and trouble is told within half a minute.
      default: 10,
      minimum: 1,
      maximum: 3_600,
      description: "Seconds between two looks at what the service needs.",
    }),
  }),
  needs: { checks: Checks, meters: optional(Meters), outbox: Outbox, redactors: Redactors, store: Store },
  provides: [OwnerDoors, Routes, Services],
  taps: ["onInboundMessage"],
  setup(host) {
    const { config, log, needs } = host;
    const owner = new Owner(needs.store.values, needs.outbox, log);
    host.hooks.onInboundMessage.tap((message) => void owner.wrote(message));
    const alerts = new Alerts({
      ...needs,
      log,
      tell: async (...alert) => (config.tell_owner ? owner.tell(...alert) : undefined),
    });
    host.onServe(async () => {
      const { alertRoute } = await import("./alert-route.ts");
      host.provide(Routes, alertRoute(alerts, needs.redactors));
    });
    host.provide(OwnerDoors, owner);
    host.provide(
      Services,
      alerts.service(host.name, config.every_seconds * 1_000, () => owner.serve()),
    );
  },
});
