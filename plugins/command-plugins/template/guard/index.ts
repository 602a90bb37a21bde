import { definePlugin } from "@gantry/sdk";
import { Type } from "typebox";
import { createGuard, errors } from "./guard.ts";

export default definePlugin({
  name: "guard-example",
  summary: "Refuses calls that hold a forbidden word: put your own line here.",
  config: Type.Object({
    words: Type.Array(Type.String({ minLength: 1 }), {
      default: ["forbidden"],
      description: "No tool call may hold one of these.",
    }),
  }),
  taps: ["beforeToolCall"],
  errors,
  setup(host) {
    host.hooks.beforeToolCall.tap(createGuard(host.config.words));
  },
});
