import { offerOf, shownAddress } from "@gantry/sdk/fill";
import type { ConfigFile, ProviderOffer } from "@gantry/sdk";
import { configuredKey, type KeyConfig } from "@gantry/sdk/provider";
import type { OnboardNeeds } from "./needs.ts";
import { errors } from "./errors.ts";

/** The decisions of a person or a script; a missing one leaves the configuration as it is. */
export interface Answers {
  readonly provider: string;
  /** For providers whose address is a key of its own. */
  readonly address?: string | undefined;
  /** The key itself, or `${NAME}`. */
  readonly apiKey?: string | undefined;
  readonly model?: string | undefined;
  readonly workspace?: string | undefined;
  readonly autonomy?: string | undefined;
  /** Keys of a channel. */
  readonly channel?: Readonly<Record<string, unknown>> | undefined;
  /** Keys of a tool. */
  readonly tool?: Readonly<Record<string, unknown>> | undefined;
}

export const autonomyLevels = {
  supervised: "every tool call asks you first",
  "semi-autonomous": "reading in the workspace runs unasked, everything else asks",
  autonomous: "nothing asks; the policy still refuses what it refuses",
} as const;

/**
 * Returns the keys of config.toml that these answers change; undefined takes one out. Throws if a
 * key of another provider would be sent to this one.
 */
export function changesOf(
  answers: Answers,
  { configFile, offers }: Pick<OnboardNeeds, "configFile" | "offers">,
): Readonly<Record<string, unknown>> {
  const { provider, address, apiKey, model, workspace, autonomy, channel, tool } = answers;
  const offer = offerOf(offers, provider);
  const addressKey = offer?.addressKey;
  const kindKey = `providers.${offer?.name}.api_key`;
  const owner = ownerOfForeignKey(provider, offer, configFile);
  if (owner !== undefined && apiKey === undefined && offer?.offline !== true)
    throw errors.ONBOARD_FOREIGN_KEY(shownAddress(owner), shownAddress(provider));
  return {
    default_provider: provider,
    ...(configFile.get("agent.provider") !== undefined && { "agent.provider": provider }),
    ...(configFile.get("agent.model") !== undefined && model !== undefined && { "agent.model": model }),
    // The previous server's address is not this one's.
    ...(addressKey !== "api_url" && configFile.get("api_url") !== undefined && { api_url: undefined }),
    ...(address !== undefined && addressKey && { [addressKey]: address }),
    ...(apiKey !== undefined && { [keyOf(provider, offer)]: apiKey }),
    // A key of the whole kind would win over the new one, and may be for the server before.
    ...(apiKey !== undefined &&
      offer?.addressInId &&
      configFile.get(kindKey) !== undefined && { [kindKey]: undefined }),
    ...(model !== undefined && { default_model: model }),
    ...(workspace !== undefined && { "security.workspace_path": workspace }),
    ...(autonomy !== undefined && { "agent.autonomy_level": autonomy }),
    ...channel,
    ...tool,
  };
}

/** Returns whose key `provider` would be sent once it is the default one; undefined: nobody's. */
function ownerOfForeignKey(
  provider: string,
  offer: ProviderOffer | undefined,
  file: ConfigFile,
): string | undefined {
  const read = <K extends keyof KeyConfig>(key: K) => file.get(key) as KeyConfig[K] | undefined;
  const owner = read("default_provider") ?? file.get("agent.provider");
  if (typeof owner !== "string") return undefined;
  const providers = read("providers") ?? {};
  const before = { api_key: read("api_key"), default_provider: owner, providers };
  const aliases = offer && !offer.addressInId ? [offer.name, ...(offer.aliases ?? [])] : [];
  return configuredKey(before, provider, ...aliases).withheld === undefined ? undefined : owner;
}

/**
 * Each provider keeps a key of its own unless it says otherwise, so that none is sent to another.
 */
function keyOf(provider: string, offer: ProviderOffer | undefined): string {
  return offer?.keyAt ?? `providers.${provider}.api_key`;
}

/** The next two commands to type. */
export function nextCommands({ channel }: Pick<Answers, "channel">): readonly string[] {
  return [`Next: gantry agent -m "hello"`, channel ? "Then: gantry daemon" : "Then: gantry doctor"];
}
