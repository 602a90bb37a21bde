import { definePlugin } from "@gantry/sdk";
import { Budget } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { createBudget, errors } from "./evening.ts";

export default definePlugin({
  name: "budget-example",
  summary: "Asks nothing of a model in the evening: put your own line here.",
  config: Type.Object({
    hour: Type.Integer({ default: 18, minimum: 0, maximum: 24, description: "From this hour on, UTC." }),
  }),
  provides: [Budget],
  errors,
  setup(host) {
    host.provide(Budget, createBudget(host.config.hour, Date.now));
  },
});
