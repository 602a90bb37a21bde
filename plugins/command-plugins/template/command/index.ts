import { Commands, definePlugin, Runtime } from "@gantry/sdk";
import { createCommand } from "./command.ts";

export default definePlugin({
  name: "command-example",
  summary: "Counts files: put your own line here.",
  needs: { runtime: Runtime },
  provides: [Commands],
  setup(host) {
    host.provide(Commands, createCommand(host.needs.runtime.workspace));
  },
});
