import { definePlugin } from "@gantry/sdk";
import { Type } from "typebox";
import { decide } from "./decide.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "guard-flow",
  summary:
    "Asks before anything leads out of a conversation that holds material from outside and private data.",
  table: "",
  config: Type.Object({
    security: Type.Object({
      flow_guard: Type.Boolean({
        default: true,
        description:
          "Once a conversation holds material from outside (pages, other people's messages) and private data (files, memory), whatever leads out asks; autonomous, it is refused unless security.allow names it.",
      }),
    }),
  }),
  taps: ["beforeToolCall"],
  enforces: ["security.flow_guard"],
  errors,
  setup(host) {
    if (host.config.security.flow_guard) host.hooks.beforeToolCall.tap((call) => decide(call));
  },
});
