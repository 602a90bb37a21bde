import { Commands, definePlugin, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { readCommands } from "./read.ts";
import { changeCommands } from "./change.ts";

export default definePlugin({
  name: "command-sessions",
  summary: "The words `sessions list`, `show`, `export`, `share` and `remove`.",
  needs: { store: Store },
  provides: [Commands],
  errors,
  setup(host) {
    const store = () => host.needs.store;
    for (const command of [...readCommands(store), ...changeCommands(store)]) host.provide(Commands, command);
  },
});
