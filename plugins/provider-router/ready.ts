import type { CheckRow, ConfigFile, Providers } from "@gantry/sdk";
import type { Circuits } from "./circuit.ts";

/**
 * Its name is that of what channels' messages wait for: one trouble of the model is told of once.
 */
const what = "model";

export interface ReadyNeeds {
  readonly configFile: ConfigFile;
  readonly providers: Providers;
}

/**
 * Returns whether turns are answered. They are not if no plugin serves the configured provider, or
 * if it and every fallback are left alone. A provider that has failed is in trouble until it has
 * answered.
 */
export async function readyRows(
  { configFile, providers }: ReadyNeeds,
  fallbacks: readonly string[],
  circuits: Circuits,
): Promise<readonly CheckRow[]> {
  const read = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => configFile.get(key)).find((value): value is string => typeof value === "string");
  const model = read("agent.model", "default_model");
  let asked: readonly string[];
  try {
    const first = await providers.resolve(read("agent.provider", "default_provider"), model);
    const others = fallbacks.map((id) => providers.resolve(id, model).catch(() => undefined));
    asked = [first, ...(await Promise.all(others))].flatMap((provider) => provider?.name ?? []);
  } catch (error) {
    return [{ what, state: "fail", detail: (error as Error).message }];
  }
  const troubles = circuits.troubles();
  if (troubles.length === 0)
    return circuits.hasWorked ? [{ what, state: "ok", detail: asked.join(", ") }] : [];
  const out = new Set(troubles.filter(({ isOut }) => isOut).map(({ provider }) => provider));
  const detail = troubles.map(({ provider, reason }) => `${provider}: ${reason}`).join("; ");
  return [{ what, state: asked.every((name) => out.has(name)) ? "fail" : "warn", detail }];
}
