import {
  Checks,
  Commands,
  definePlugin,
  optional,
  ProviderOffers,
  Runtime,
  Store,
  Upstream,
} from "@gantry/sdk";
import { Loopback } from "@gantry/sdk/fill";
import { authCommands } from "./auth-commands.ts";
import { createAuthProfiles } from "./auth-profiles.ts";
import { ALIASES, GenlangConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { createGenlang } from "./genlang.ts";
import { loginCheck } from "./login-check.ts";

export default definePlugin({
  name: "provider-genlang",
  summary: "The hosted generative-language provider (genlang, gemini, google), by API key or OAuth.",
  table: "",
  config: GenlangConfig,
  needs: {
    upstream: Upstream,
    runtime: Runtime,
    store: optional(Store),
    loopback: optional(Loopback),
  },
  provides: [Commands, Checks, ProviderOffers],
  taps: ["resolveProvider"],
  errors,
  setup(host) {
    const { config, log, signal } = host;
    const { upstream, runtime, store, loopback } = host.needs;
    const profiles = createAuthProfiles(runtime.configDir, store, signal);
    const genlang = createGenlang({ config, upstream, store, profiles, log, signal });

    host.provide(ProviderOffers, {
      name: genlang.name,
      aliases: ALIASES.filter((alias) => alias !== genlang.name),
      hint: "generative language, by key or login",
      list: "beside",
      address: config.endpoints.genlang_url,
      keyVariable: "GENLANG_API_KEY",
      withoutKey: "log in later: gantry auth login --provider genlang",
    });
    host.hooks.resolveProvider.tap(({ provider }) =>
      provider !== undefined && ALIASES.includes(provider) ? genlang : undefined,
    );
    const source = async (): Promise<string> => (await genlang.credential?.()) ?? "none";
    for (const command of authCommands({ config, upstream, loopback, profiles, source }))
      host.provide(Commands, command);
    host.provide(Checks, loginCheck(runtime.configDir, profiles, config));
  },
});
