import { shownAddress } from "../models/shown-address.ts";
import { comparableId, tableOf, type ProviderTable } from "./settings.ts";

/** The part of the configuration that may hold a provider's key. */
export interface KeyConfig {
  readonly api_key?: string | undefined;
  readonly default_provider?: string | undefined;
  readonly providers: ProviderTable;
}

export interface ConfiguredKey {
  /** The key that was written for this provider; undefined if there is none. */
  readonly value: string | undefined;
  /** A clause that says which key of the file is not sent to it, why, and what to set instead. */
  readonly withheld: string | undefined;
}

/**
 * Returns the key that the file holds for one provider: `id` is how it was asked for, `aliases` are
 * its other ids. A key under `[providers."<id>"]` is for that provider. A key that names no server
 * (the top-level `api_key`, or that of a kind such as `[providers.custom]`) is for the provider
 * that `default_provider` names, and for no other.
 */
export function configuredKey(config: KeyConfig, id: string, ...aliases: readonly string[]): ConfiguredKey {
  const { api_key, default_provider, providers } = config;
  const ids = [id, ...aliases];
  const own = tableOf(providers, ids)?.api_key?.trim();
  if (own) return { value: own, withheld: undefined };
  const [, kind] = /^([^:]+):/.exec(id) ?? [];
  const keys = [
    { at: `providers.${kind}.api_key`, key: kind && tableOf(providers, [kind])?.api_key?.trim() },
    { at: "api_key", key: api_key?.trim() },
  ];
  const shared = keys.find(({ key }) => key);
  if (!shared) return { value: undefined, withheld: undefined };
  const owner = default_provider === undefined ? undefined : comparableId(default_provider);
  const isOwn = ids.some((one) => comparableId(one) === owner);
  if (isOwn) return { value: shared.key, withheld: undefined };
  return { value: undefined, withheld: whyWithheld(shared.at, id, default_provider) };
}

function whyWithheld(at: string, id: string, owner: string | undefined): string {
  const name = comparableId(id);
  const key = `providers.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}.api_key`;
  const [whose, cure] =
    owner === undefined
      ? ["default_provider, which is not set", `set default_provider, or ${key}`]
      : [`default_provider (${shownAddress(owner)})`, `set ${key}`];
  return `${at} is not sent there, since it belongs to ${whose}; ${cure}`;
}
