import { definePlugin, Store } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { countAction } from "./guard.ts";
import { windowsOf } from "./windows.ts";

const limit = (value: number, span: string) =>
  Type.Integer({
    default: value,
    minimum: 1,
    description: `Tool calls that one user (\`<channel>:<user_id>\`) may make in any ${span}.`,
  });

export default definePlugin({
  name: "guard-limits",
  summary: "Action limits per user in sliding windows.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      rate_limit_per_minute: limit(30, "minute"),
      max_actions_per_hour: limit(100, "hour"),
      max_actions_per_day: limit(500, "day"),
    }),
  }),
  needs: { store: Store },
  taps: ["beforeToolCall"],
  enforces: [
    "security.max_actions_per_hour",
    "security.max_actions_per_day",
    "security.rate_limit_per_minute",
  ],
  errors,
  setup(host) {
    const windows = windowsOf(host.config.security);
    // Late: a call that another guard refuses is not an action.
    host.hooks.beforeToolCall.tap((call) => countAction(host.needs.store.limits, windows, call), {
      order: "late",
    });
  },
});
