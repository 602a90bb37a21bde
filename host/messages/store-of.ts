import { Store } from "@gantry/sdk";
import { pluginErrors } from "../plugins/errors.ts";
import type { Registry } from "../plugins/registry.ts";

/** Returns the store. Throws SLOT_EMPTY without one. */
export function storeOf(registry: Registry): Store {
  const store = registry.get(Store);
  if (!store) throw pluginErrors.SLOT_EMPTY("host", Store.id, ": list a store, see `gantry plugins list`");
  return store;
}
