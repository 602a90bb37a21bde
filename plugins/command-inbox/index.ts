import { Commands, definePlugin, Store } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { inboxCommands } from "./commands.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "command-inbox",
  summary: "The words `inbox list`, `show`, `retry` and `drop`.",
  needs: { store: Store, redactors: Redactors },
  provides: [Commands],
  errors,
  setup(host) {
    for (const command of inboxCommands(host.needs)) host.provide(Commands, command);
  },
});
