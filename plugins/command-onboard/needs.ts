import type { ConfigFile, ProviderOffer, Runtime } from "@gantry/sdk";

export interface OnboardNeeds {
  readonly configFile: ConfigFile;
  readonly offers: ReadonlyMap<string, ProviderOffer>;
  readonly runtime: Runtime;
}
