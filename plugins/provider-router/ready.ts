import type { CheckRow, ConfigFile, Providers } from "@gantry/sdk";
import type { Circuits } from "./circuit.ts";

export interface ReadyNeeds {
  readonly configFile: ConfigFile;
  readonly providers: Providers;
}

/** What keeps every turn from being answered: no plugin serves the configured provider, or it is left alone for now. */
export async function readyRows(
  { configFile, providers }: ReadyNeeds,
  circuits: Circuits,
): Promise<readonly CheckRow[]> {
  const what = "provider";
  const read = (...keys: readonly string[]): string | undefined =>
    keys.map((key) => configFile.get(key)).find((value): value is string => typeof value === "string");
  try {
    await providers.resolve(read("agent.provider", "default_provider"), read("agent.model", "default_model"));
  } catch (error) {
    return [{ what, state: "fail", detail: (error as Error).message }];
  }
  return circuits.cooling().map(({ provider, until, reason }) => ({
    what,
    state: "fail",
    detail: `${provider} is left alone until ${until} (${reason})`,
  }));
}
