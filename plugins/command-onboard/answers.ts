import { offerOf, type ProviderOffer } from "@gantry/sdk";
import type { OnboardNeeds } from "./needs.ts";
import { errors } from "./errors.ts";

/** What a person or a script decided; what is left out stays as it is configured. */
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

/** The keys of config.toml that these answers change; undefined takes one out. Throws where a key of another provider would be sent to this one. */
export function changesOf(
  answers: Answers,
  { configFile, offers }: Pick<OnboardNeeds, "configFile" | "offers">,
): Readonly<Record<string, unknown>> {
  const { provider, address, apiKey, model, workspace, autonomy, channel, tool } = answers;
  const offer = offerOf(offers, provider);
  const addressKey = offer?.addressKey;
  const before = configFile.get("agent.provider") ?? configFile.get("default_provider");
  const foreign = before !== undefined && before !== provider && configFile.get("api_key") !== undefined;
  if (foreign && apiKey === undefined && offer?.offline !== true)
    throw errors.ONBOARD_FOREIGN_KEY(before, provider);
  return {
    default_provider: provider,
    ...(configFile.get("agent.provider") !== undefined && { "agent.provider": provider }),
    ...(configFile.get("agent.model") !== undefined && model !== undefined && { "agent.model": model }),
    // The address of the server before would be no address of this one.
    ...(addressKey !== "api_url" && configFile.get("api_url") !== undefined && { api_url: undefined }),
    ...(address !== undefined && addressKey && { [addressKey]: address }),
    ...(apiKey !== undefined && { [keyOf(provider, offer)]: apiKey }),
    ...(model !== undefined && { default_model: model }),
    ...(workspace !== undefined && { "security.workspace_path": workspace }),
    ...(autonomy !== undefined && { "agent.autonomy_level": autonomy }),
    ...channel,
    ...tool,
  };
}

/** Each provider keeps a key of its own unless it says otherwise, so that none is sent to another. */
function keyOf(provider: string, offer: ProviderOffer | undefined): string {
  return offer?.keyAt ?? `providers.${provider}.api_key`;
}
