import { Commands, definePlugin, Providers, Store } from "@gantry/sdk";
import { listCommand, refreshCommand, warmupCommand } from "./commands.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "command-models",
  summary: "The words `models refresh`, `models list` and `warmup`.",
  needs: { models: Providers, store: Store },
  provides: [Commands],
  errors,
  setup(host) {
    const { models, store } = host.needs;
    host.provide(Commands, refreshCommand(models, store));
    host.provide(Commands, listCommand(models, store));
    host.provide(Commands, warmupCommand(models));
  },
});
