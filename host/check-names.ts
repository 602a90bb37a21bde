import { checkPeople } from "./config/check-people.ts";
import type { People } from "./config/people.ts";
import type { HostOptions } from "./host-options.ts";
import type { HookTable } from "./plugins/hook-table.ts";
import type { Registry } from "./plugins/registry.ts";
import { checkProviderIds } from "./turn/provider-ids.ts";
import { checkProviderTables } from "./turn/provider-tables.ts";

interface Named {
  readonly options: HostOptions;
  readonly people: People;
  readonly hooks: HookTable;
  readonly registry: Registry;
}

/**
 * Throws if the file names a person, a channel or a provider wrongly, or has a table for one that
 * nobody brings. Call it once every plugin is set up.
 */
export async function checkNames({ options, people, hooks, registry }: Named): Promise<void> {
  const { config } = options;
  await checkPeople(config, people, registry, options);
  checkProviderIds(config, registry);
  await checkProviderTables(config, hooks, registry);
}
