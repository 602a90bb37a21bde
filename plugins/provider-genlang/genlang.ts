import { GantryError } from "@gantry/sdk";
import { CarriedMedia, configuredKey, failure } from "@gantry/sdk/provider";
import { ProviderError, providerSettings } from "@gantry/sdk/provider";
import type { ChatRequest, Logger, Provider, ProviderEvent, Store, Upstream } from "@gantry/sdk";
import { readAnswer } from "./answer.ts";
import { createAsker, keyTarget } from "./ask.ts";
import type { Opened } from "./ask.ts";
import type { AuthProfiles } from "./auth-profiles.ts";
import { toBody } from "./body.ts";
import { ALIASES, NAME } from "./config.ts";
import type { GenlangConfig } from "./config.ts";
import { findCredential } from "./credential.ts";
import type { Credential } from "./credential.ts";
import { errors } from "./errors.ts";
import { listModels } from "./model-list.ts";
import { createProjects } from "./project.ts";
import { createTokenSource } from "./refresh.ts";
import { asFailure, createRotation } from "./rotation.ts";
import type { Asked } from "./rotation.ts";

const TAKES: readonly string[] = ["image/*", "application/pdf"];
const DEFAULT_MODEL = "gemini-2.5-flash";

export interface GenlangDeps {
  readonly config: GenlangConfig;
  readonly upstream: Upstream;
  readonly store: Store | undefined;
  readonly profiles: AuthProfiles;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The hosted generative-language provider, by API key or OAuth. */
export function createGenlang(deps: GenlangDeps): Provider {
  const { config, upstream } = deps;
  const asker = createAsker(upstream);
  const tokens = createTokenSource(deps);
  const rotation = createRotation({
    config,
    asker,
    tokens,
    projects: createProjects(config, upstream, deps.store),
    log: deps.log,
  });
  const settings = providerSettings(config.providers, ...ALIASES);
  if (settings.max_output_tokens !== undefined) throw errors.GENLANG_OUTPUT_FIXED();
  const timeoutMs = settings.timeout_seconds * 1000;
  const find = (): Promise<Credential> => findCredential(config, deps.profiles);
  const { withheld } = configuredKey(config, NAME, ...ALIASES);
  const noCredential = (): GantryError =>
    errors.GENLANG_NO_CREDENTIAL(withheld === undefined ? "" : `; ${withheld}`);
  /** Outside a chat, the network's failures are told as in one. */
  const told = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
    work.catch((error: unknown) => {
      const ofNet = error instanceof GantryError && error.code.startsWith("NET_");
      throw ofNet ? new ProviderError(asFailure(error, signal, timeoutMs)) : error;
    });

  const open = async (credential: Credential, asked: Asked): Promise<Opened> => {
    if (credential.kind === "none") throw noCredential();
    if (credential.kind === "oauth") return rotation(credential.accounts, asked);
    return asker.send(
      keyTarget(config, asked.model, credential.key),
      asked.body,
      asked.model,
      timeoutMs,
      asked.signal,
    );
  };

  return {
    name: NAME,
    aliases: ALIASES,
    capabilities: { nativeToolCalling: false, vision: true, streaming: true, media: TAKES },
    async *chat(request) {
      const wrong = refused(request);
      if (wrong) return yield { type: "error", failure: failure(wrong, false) };
      const model = (request.model ?? DEFAULT_MODEL).replace(/^models\//, "");
      const { signal } = request;
      try {
        const opened = await open(await find(), {
          model,
          body: toBody(request, await CarriedMedia.of(request, TAKES), settings),
          timeoutMs,
          signal,
        });
        if (opened.ok) yield* readAnswer(opened.response, model, opened.secrets);
        else yield { type: "error", failure: opened.failure };
      } catch (error) {
        yield { type: "error", failure: asFailure(error, signal, timeoutMs) } satisfies ProviderEvent;
      }
    },
    async models(signal) {
      const credential = await find();
      if (credential.kind === "none") throw noCredential();
      if (credential.kind === "oauth") throw errors.GENLANG_NO_MODEL_LIST(credential.source);
      return told(listModels(config, upstream, credential.key, timeoutMs, signal), signal);
    },
    async warmup(signal) {
      const credential = await find();
      if (credential.kind === "none") throw noCredential();
      if (credential.kind === "key") {
        const names = await told(listModels(config, upstream, credential.key, timeoutMs, signal), signal);
        return `genlang is ready with the API key from ${credential.source}: ${names.length} models.`;
      }
      const { expires } = await told(
        tokens(credential.accounts[0] as (typeof credential.accounts)[0], false, signal),
        signal,
      );
      const until = expires === undefined ? "" : `, valid until ${new Date(expires).toISOString()}`;
      return `genlang is ready with the OAuth token of ${credential.source}${until}.`;
    },
    credential: async () => (await find()).source,
    needsCredential: true,
    keyWithheld: withheld,
  };
}

function refused({ tools, temperature }: ChatRequest): GantryError | undefined {
  if (tools.length > 0) return errors.GENLANG_TOOLS();
  return temperature >= 0 && temperature <= 2 ? undefined : errors.GENLANG_TEMPERATURE(temperature);
}
