import { Checks, Commands, definePlugin, Store, type CheckRow } from "@gantry/sdk";
import { Redactors, type Waiting } from "@gantry/sdk/fill";
import { inboxCommands } from "./commands.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "command-inbox",
  summary: "The words `inbox list`, `show`, `retry` and `drop`.",
  needs: { store: Store, redactors: Redactors },
  provides: [Checks, Commands],
  errors,
  setup(host) {
    for (const command of inboxCommands(host.needs)) host.provide(Commands, command);
    host.provide(Checks, {
      name: "messages-wait",
      kind: "ready",
      run: async () => (await host.needs.store.lanes.waits()).map(waitingRow),
    });
  },
});

/** What messages wait for: `model`, or `channel:<name>`. */
function waitingRow({ waitsFor, reason }: Waiting): CheckRow {
  const cure = "Mend what the reason says; messages are answered by themselves once it works.";
  return { what: waitsFor, state: "warn", detail: reason, cure };
}
