import type { CheckRow, ConfigFile, Policy } from "@gantry/sdk";
import type { MissingGuard } from "@gantry/sdk/fill";

const LEVEL = "agent.autonomy_level";

/**
 * Returns the level that is in force, and a row for each guard that comes with Gantry and is not
 * loaded.
 */
export async function checkGuards(policy: Policy, configFile: ConfigFile): Promise<readonly CheckRow[]> {
  const { keys, missing } = (await policy.enforcement?.()) ?? { keys: new Map(), missing: [] };
  const rows = missing.map((guard) => missingRow(guard, keys));
  return [...levelRow(keys, configFile.get(LEVEL)), ...rows];
}

function levelRow(keys: ReadonlyMap<string, unknown>, level: unknown): readonly CheckRow[] {
  if (keys.has(LEVEL))
    return typeof level === "string" ? [{ what: "autonomy", state: "ok", detail: level }] : [];
  const detail = "no loaded plugin enforces agent.autonomy_level, so no tool runs";
  return [{ what: "autonomy", state: "fail", detail, cure: "Load a plugin that enforces it." }];
}

function missingRow({ plugin, enforces, cure }: MissingGuard, keys: ReadonlyMap<string, unknown>): CheckRow {
  const open = enforces.filter((key) => !keys.has(key));
  const replaced = enforces.length > 0 && open.length === 0;
  if (replaced) return { what: plugin, state: "ok", detail: "not loaded; another plugin enforces its keys" };
  const lost = open.length > 0 ? `, so nothing enforces ${open.join(", ")}` : "";
  return { what: plugin, state: "fail", detail: `not loaded${lost}`, cure };
}
