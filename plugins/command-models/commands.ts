import type { Command, CommandContext, Providers, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { keep, kept } from "./kept.ts";
import type { KeptModels } from "./kept.ts";

const provider = {
  flags: "--provider <id>",
  summary: "a provider id or address; default: the configured one",
};
const json = { flags: "--json", summary: "one JSON object: provider, models, refreshed" };

/** Asks the provider for its models and keeps the list. */
export function refreshCommand(models: Providers, store: Store): Command {
  return {
    name: "models refresh",
    summary: "list the models a provider offers, and keep the list",
    options: [provider, json],
    async run(run) {
      const found = await models.resolve(wanted(run));
      if (!found.models) throw errors.MODELS_NO_LIST(found.name);
      const list = await keep(store.values, found.name, await found.models(run.signal));
      print(list, run);
      return 0;
    },
  };
}

/** Prints the kept list; asks nobody. */
export function listCommand(models: Providers, store: Store): Command {
  return {
    name: "models list",
    summary: "print the models that were last refreshed",
    options: [provider, json],
    async run(run) {
      const { name } = await models.resolve(wanted(run));
      const list = await kept(store.values, name);
      if (!list) throw errors.MODELS_NOT_KEPT(name, name);
      print(list, run);
      return 0;
    },
  };
}

/** Checks the way to a provider and its credential without asking a model. */
export function warmupCommand(models: Providers): Command {
  return {
    name: "warmup",
    summary: "check that a provider can be reached and takes the credential",
    options: [provider],
    async run(run) {
      const found = await models.resolve(wanted(run));
      run.err(`Credential of ${found.name}: ${(await found.credential?.()) ?? "none"}`);
      run.out((await found.warmup?.(run.signal)) ?? `${found.name} needs no warm-up.`);
      return 0;
    },
  };
}

function wanted({ options }: CommandContext): string | undefined {
  return typeof options.provider === "string" ? options.provider : undefined;
}

function print(list: KeptModels, run: CommandContext): void {
  if (run.options.json) return run.out(JSON.stringify(list));
  for (const id of list.models) run.out(id);
  run.err(
    `${list.provider} offers ${list.models.length} ${list.models.length === 1 ? "model" : "models"} (${list.refreshed}).`,
  );
}
