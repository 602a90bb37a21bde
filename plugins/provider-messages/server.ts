import {
  configuredKey,
  providerAddress,
  providerSettings,
  type KeyConfig,
  type ProviderAddress,
  type ProviderSettings,
} from "@gantry/sdk/provider";

const PREFIX = "messages-custom:";
const VERSION = "2023-06-01";

/** One server that speaks the messages format. */
export interface Server {
  /** As people know it; safe to print. */
  readonly name: string;
  readonly address: ProviderAddress;
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that must never stand in a sentence. */
  readonly secrets: readonly string[];
  /** The source of the credential: `config`, `NAME env var` or `none`. */
  readonly source: string;
  /** Why a key of the file is not sent; undefined if there is a credential. */
  readonly withheld: string | undefined;
  readonly timeoutMs: number;
  readonly settings: ProviderSettings;
}

/**
 * The server that `messages-custom:<url>` stands for; undefined for any other provider id. Throws
 * `PROVIDER_URL`.
 */
export function serverOf(
  id: string,
  config: KeyConfig,
  env: Readonly<Record<string, string | undefined>>,
): Server | undefined {
  if (!id.startsWith(PREFIX)) return undefined;
  const own = providerSettings(config.providers, id, "messages-custom");
  const { value: configured, withheld } = configuredKey(config, id);
  const variable = ["SERVICE_API_KEY", "API_KEY"].find((name) => env[name]?.trim());
  const key = configured || (variable && env[variable]?.trim());
  const address = providerAddress(id.slice(PREFIX.length));
  return {
    name: `${PREFIX}${address.shown}`,
    address,
    headers: { "anthropic-version": VERSION, ...(key && { authorization: `Bearer ${key}` }) },
    secrets: [...address.secrets, ...(key ? [key] : [])],
    source: configured ? "config" : variable ? `${variable} env var` : "none",
    withheld: key ? undefined : withheld,
    timeoutMs: own.timeout_seconds * 1000,
    settings: own,
  };
}
