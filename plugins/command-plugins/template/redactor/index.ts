import { definePlugin } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { createRedactor } from "./numbers.ts";

export default definePlugin({
  name: "redact-example",
  summary: "Takes the numbers of badges out of whatever leaves: put your own line here.",
  provides: [Redactors],
  setup(host) {
    host.provide(Redactors, createRedactor());
  },
});
