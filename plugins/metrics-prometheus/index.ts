import { definePlugin, Meters, Observers, optional, Routes, Runtime, Store } from "@gantry/sdk";
import { ModelRouter } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { Counters } from "./counters.ts";
import { errors } from "./errors.ts";
import { observer } from "./observer.ts";

export default definePlugin({
  name: "metrics-prometheus",
  summary: "GET /metrics: what the service has done and how it is, for Prometheus.",
  table: "metrics",
  config: Type.Object({
    open: Type.Boolean({
      default: false,
      description: "Serve GET /metrics without a token to this machine itself.",
    }),
  }),
  needs: { router: optional(ModelRouter), runtime: Runtime, store: optional(Store) },
  provides: [Meters, Observers, Routes],
  errors,
  setup(host) {
    const counters = new Counters();
    host.onServe(async () => void (await import("./text.ts")));
    host.provide(Meters, counters);
    host.provide(Observers, observer(counters));
    host.provide(Routes, {
      name: "GET /metrics",
      method: "GET",
      path: "/metrics",
      ...(host.config.open ? { auth: "own" } : { auth: "token", may: "read" }),
      summary: "Counters and the state of the service in the text format of Prometheus.",
      async handle({ peer }) {
        if (host.config.open && !isThisMachine(peer)) throw errors.METRICS_REMOTE();
        const { metricsText } = await import("./text.ts");
        const text = await metricsText(counters, host.needs);
        const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" };
        return { status: 200, text, headers };
      },
    });
  },
});

function isThisMachine(peer: string): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(peer);
}
