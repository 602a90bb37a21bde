import { definePlugin, Routes } from "@gantry/sdk";
import { createRoute, errors } from "./route.ts";

export default definePlugin({
  name: "route-example",
  summary: "Adds to dates: put your own line here.",
  provides: [Routes],
  errors,
  setup(host) {
    host.provide(Routes, createRoute(Date.now));
  },
});
