import { Checks, definePlugin, Observers } from "@gantry/sdk";
import { createTally } from "./tally.ts";

export default definePlugin({
  name: "observer-example",
  summary: "Counts how turns end: put your own line here.",
  provides: [Checks, Observers],
  setup(host) {
    const { observer, check } = createTally();
    host.provide(Observers, observer);
    host.provide(Checks, check);
  },
});
