import { configuredKey } from "@gantry/sdk/provider";
import type { AuthProfiles } from "./auth-profiles.ts";
import { ALIASES, NAME } from "./config.ts";
import type { GenlangConfig } from "./config.ts";
import type { Account } from "./tokens.ts";
import { vendorAccounts } from "./vendor-files.ts";

/** The names under which the source in use is reported. */
export type SourceName =
  | "config"
  | "GENLANG_API_KEY env var"
  | "CLOUDVENDOR_API_KEY env var"
  | "auth-profiles"
  | "vendor CLI OAuth"
  | "none";

export type Credential =
  | { readonly kind: "key"; readonly source: SourceName; readonly key: string }
  /** The first account is meant; the others are for rotation. */
  | { readonly kind: "oauth"; readonly source: SourceName; readonly accounts: readonly Account[] }
  | { readonly kind: "none"; readonly source: "none" };

const VARIABLES = ["GENLANG_API_KEY", "CLOUDVENDOR_API_KEY"] as const;

/** The first of the five sources that is there. Throws `GENLANG_CREDENTIAL_BROKEN`. */
export async function findCredential(config: GenlangConfig, profiles: AuthProfiles): Promise<Credential> {
  const key = configuredKey(config, NAME, ...ALIASES).value;
  if (key) return { kind: "key", source: "config", key };
  for (const name of VARIABLES) {
    const key = process.env[name]?.trim();
    if (key) return { kind: "key", source: `${name} env var`, key };
  }
  const managed = await profiles.active();
  const vendor = await vendorAccounts();
  const accounts = managed ? [managed, ...vendor] : vendor;
  const [first] = accounts;
  return first ? { kind: "oauth", source: first.source, accounts } : { kind: "none", source: "none" };
}
