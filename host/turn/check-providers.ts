import type { Configured } from "../config/configure.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Registry } from "../plugins/registry.ts";
import { checkProviderIds } from "./provider-ids.ts";
import { checkProviderTables } from "./provider-tables.ts";

/** Throws if the file names a provider wrongly, or has a table for one that nobody brings. */
export async function checkProviders(
  config: Configured,
  hooks: HookTable,
  registry: Registry,
): Promise<void> {
  checkProviderIds(config, registry);
  await checkProviderTables(config, hooks, registry);
}
