import { definePlugin, Outbox, Services } from "@gantry/sdk";
import { Type } from "typebox";
import { createScheduler } from "./scheduler.ts";

export default definePlugin({
  name: "scheduler-example",
  summary: "Says something once a day: put your own line here.",
  config: Type.Object({
    at: Type.String({
      default: "09:00",
      pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
      description: "When, as in 09:00.",
    }),
    channel: Type.String({ default: "", description: "The channel it is said in; empty: nowhere." }),
    to: Type.String({ default: "", description: "The channel's own address of whoever is told." }),
    text: Type.String({ default: "Good morning.", description: "What is said." }),
  }),
  needs: { outbox: Outbox },
  provides: [Services],
  setup(host) {
    if (host.config.channel === "") return;
    const failed = (error: Error): void => host.log.error({}, `Nobody was told: ${error.message}`);
    host.provide(Services, createScheduler(host.config, host.needs.outbox, failed).service);
  },
});
