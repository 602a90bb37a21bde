import { ConfigFile, definePlugin, optional, ProviderOffers, Upstream } from "@gantry/sdk";
import { providerKeys } from "@gantry/sdk/fill";
import { ApiKey, ProviderTable } from "@gantry/sdk/provider";
import type { Provider } from "@gantry/sdk";
import { Type } from "typebox";
import { canonical, endpointOf, isLocal } from "./endpoint.ts";
import { errors } from "./errors.ts";
import { createProvider } from "./provider.ts";
import { offers } from "./offers.ts";
import { ResponsesMode } from "./responses-mode.ts";

const KEPT = 32;

const config = Type.Object({
  api_key: ApiKey,
  default_provider: providerKeys.default_provider,
  api_url: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Address of the local provider (local-a, local-b, local-c), instead of its default.",
    }),
  ),
  provider_api: Type.Optional(
    Type.Union([Type.Literal("chat-completions"), Type.Literal("responses")], {
      description:
        "The format a custom:<url> provider speaks; default chat-completions, and responses for endpoints.vendor_api_url.",
    }),
  ),
  endpoints: Type.Object({
    hosted_url: Type.Optional(
      Type.String({ minLength: 1, description: "Address of hostedllm, without the /v1." }),
    ),
    vendor_api_url: Type.String({
      default: "https://api.openai.com/v1",
      description: "A custom:<url> provider with this address is asked in responses mode.",
    }),
  }),
  providers: ProviderTable,
});

export default definePlugin({
  name: "provider-chat-completions",
  summary:
    "Any server that speaks chat completions: custom:<url>, local-a, local-b, local-c, hostedllm, and well-known services by name.",
  table: "",
  config,
  needs: { upstream: Upstream, configFile: optional(ConfigFile) },
  provides: [ProviderOffers],
  taps: ["resolveProvider"],
  errors,
  setup(host) {
    const { upstream, configFile } = host.needs;
    const configured = (): string | undefined =>
      asName(configFile?.get("agent.provider")) ?? asName(configFile?.get("default_provider"));
    const atFirst = configured();
    requireCustom(host.config.provider_api, atFirst);
    if (host.config.api_url && atFirst && !isLocal(atFirst)) {
      host.log.warn(
        { provider: atFirst },
        "api_url moves only local-a, local-b and local-c: put the address into default_provider, as in custom:<url>.",
      );
    }
    for (const offer of offers()) host.provide(ProviderOffers, offer);
    const choice = process.env.SERVICE_RESPONSES_WEBSOCKET;
    if (choice !== undefined && !["", "0", "1"].includes(choice)) {
      host.log.warn(
        { choice },
        "SERVICE_RESPONSES_WEBSOCKET is neither 0 nor 1 and is ignored: 1 uses only WebSocket, 0 only HTTP.",
      );
    }
    const responses = new ResponsesMode(upstream, choice, host.signal);
    const made = new Map<string, Provider>();

    host.hooks.resolveProvider.tap((want) => {
      if (want.provider === undefined) return undefined;
      const id = canonical(want.provider);
      const known = made.get(id);
      if (known) return known;
      const endpoint = endpointOf(id, host.config, process.env, configured());
      if (!endpoint) return undefined;
      requireCustom(host.config.provider_api, configured() ?? id);
      if (made.size >= KEPT) made.clear();
      const provider = createProvider(upstream, endpoint, responses);
      made.set(id, provider);
      return provider;
    });
  },
});

function requireCustom(api: string | undefined, configured: string | undefined): void {
  if (api !== undefined && configured !== undefined && !configured.startsWith("custom:"))
    throw errors.CHAT_PROVIDER_API(configured);
}

function asName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
