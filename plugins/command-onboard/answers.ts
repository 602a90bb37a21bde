import type { ConfigFile } from "@gantry/sdk";
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
export function changesOf(answers: Answers, configFile: ConfigFile): Readonly<Record<string, unknown>> {
  const { provider, address, apiKey, model, workspace, autonomy, channel, tool } = answers;
  const addressKey = addressKeyOf(provider);
  const before = configFile.get("agent.provider") ?? configFile.get("default_provider");
  const foreign = before !== undefined && before !== provider && configFile.get("api_key") !== undefined;
  if (foreign && apiKey === undefined && provider !== "demo")
    throw errors.ONBOARD_FOREIGN_KEY(before, provider);
  return {
    default_provider: provider,
    ...(configFile.get("agent.provider") !== undefined && { "agent.provider": provider }),
    ...(configFile.get("agent.model") !== undefined && model !== undefined && { "agent.model": model }),
    // The address of the server before would be no address of this one.
    ...(addressKey !== "api_url" && configFile.get("api_url") !== undefined && { api_url: undefined }),
    ...(address !== undefined && addressKey && { [addressKey]: address }),
    ...(apiKey !== undefined && { [keyOf(provider)]: apiKey }),
    ...(model !== undefined && { default_model: model }),
    ...(workspace !== undefined && { "security.workspace_path": workspace }),
    ...(autonomy !== undefined && { "agent.autonomy_level": autonomy }),
    ...channel,
    ...tool,
  };
}

/** Custom addresses use the top-level key; each named provider keeps a key of its own, so that none is sent to another. */
export function keyOf(provider: string): string {
  return /^(?:messages-)?custom:/.test(provider) ? "api_key" : `providers.${provider}.api_key`;
}

/** Where the address of this provider is configured; undefined where its id says it. */
export function addressKeyOf(provider: string): string | undefined {
  if (/^local-[abc]/.test(provider)) return "api_url";
  return provider === "hostedllm" || provider === "hosted" ? "endpoints.hosted_url" : undefined;
}
