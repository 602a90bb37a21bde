import type { Values } from "@gantry/sdk";

/** A list of models as it was when it was fetched. */
export interface KeptModels {
  readonly provider: string;
  readonly models: readonly string[];
  /** ISO 8601. */
  readonly refreshed: string;
}

const SPACE = "models";

export async function keep(values: Values, provider: string, models: readonly string[]): Promise<KeptModels> {
  const kept = { provider, models, refreshed: new Date().toISOString() };
  await values.put(SPACE, provider, kept);
  return kept;
}

export function kept(values: Values, provider: string): Promise<KeptModels | undefined> {
  return values.get<KeptModels>(SPACE, provider);
}
