import { Audit, Commands, definePlugin, optional, OwnMemory, Routes, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { readCommands } from "./read.ts";
import { changeCommands } from "./change.ts";
import { sessionRoutes } from "./routes.ts";

export default definePlugin({
  name: "command-sessions",
  summary: "The words `sessions list`, `show`, `export`, `share` and `remove`, and /api/sessions.",
  needs: { audit: Audit, store: Store, memory: optional(OwnMemory) },
  provides: [Commands, Routes],
  errors,
  setup(host) {
    const store = () => host.needs.store;
    const commands = [
      ...readCommands(store),
      ...changeCommands(store, () => host.needs.memory, host.needs.audit),
    ];
    for (const command of commands) host.provide(Commands, command);
    host.onServe(async () => {
      for (const route of sessionRoutes(store, host.needs.audit)) host.provide(Routes, route);
    });
  },
});
