import { errors as common } from "@gantry/sdk";
import {
  configuredKey,
  providerAddress,
  providerSettings,
  type KeyConfig,
  type ProviderAddress,
  type ProviderSettings,
} from "@gantry/sdk/provider";
import { errors } from "./errors.ts";
import { services } from "./services.ts";

/** The configuration that says where to ask and with which credential. */
export interface EndpointConfig extends KeyConfig {
  readonly api_url?: string | undefined;
  readonly provider_api?: "chat-completions" | "responses" | undefined;
  readonly endpoints: { readonly hosted_url?: string | undefined; readonly vendor_api_url: string };
}

export interface Credential {
  readonly value: string | undefined;
  /** `config`, `NAME env var` or `none`. */
  readonly source: string;
}

/** One server, and how to ask it. */
export interface Endpoint {
  /** As people know it; safe to print. */
  readonly name: string;
  /** Other ids for it. */
  readonly aliases: readonly string[];
  readonly address: ProviderAddress;
  readonly credential: Credential;
  /** Why a key of the file is not sent; undefined if there is a credential. */
  readonly withheld: string | undefined;
  /** Texts that must never stand in a sentence. */
  readonly secrets: readonly string[];
  /** The cure for a missing credential, if one is needed. */
  readonly keyAdvice: string | undefined;
  readonly mode: "chat-completions" | "responses";
  /** The options a server of this kind needs to read tool calls. */
  readonly toolOption: string;
  readonly timeoutMs: number;
  readonly settings: ProviderSettings;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * First-class local servers: default address, key variable, and what makes them read tool calls.
 */
export const locals: Readonly<
  Record<string, { readonly url: string; readonly key?: string; readonly toolOption: string }>
> = {
  "local-a": { url: "http://localhost:8080/v1", key: "LOCALA_API_KEY", toolOption: "--jinja" },
  "local-b": { url: "http://localhost:30000/v1", toolOption: "--tool-call-parser" },
  "local-c": {
    url: "http://localhost:8000/v1",
    toolOption: "--enable-auto-tool-choice and --tool-call-parser",
  },
};
const aliases: Readonly<Record<string, string>> = { "local-a-server": "local-a", hosted: "hostedllm" };
const ANY_PARSER = "its tool-call parser option (--tool-call-parser, --jinja)";

/**
 * Returns the server that a provider id stands for; undefined if it is nobody's here. `configured`
 * is the provider of the configuration file, to which `api_url` belongs. Throws `PROVIDER_URL` and
 * `CHAT_HOSTED_URL`.
 */
export function endpointOf(
  wanted: string,
  config: EndpointConfig,
  env: Env,
  configured: string | undefined,
): Endpoint | undefined {
  const id = canonical(wanted);
  const others = aliasesOf(id);
  const own = providerSettings(
    config.providers,
    wanted,
    id,
    ...(id.startsWith("custom:") ? ["custom"] : others),
  );
  const key = configuredKey(config, id, ...others);
  const facts = {
    aliases: others,
    timeoutMs: own.timeout_seconds * 1000,
    settings: own,
    keyAdvice: undefined,
    mode: "chat-completions" as const,
    toolOption: ANY_PARSER,
  };
  const pick = (address: ProviderAddress, variables: readonly string[]) => {
    const credential = credentialOf(key.value, variables, env);
    return {
      address,
      credential,
      withheld: credential.value === undefined ? key.withheld : undefined,
      secrets: [...address.secrets, ...(credential.value ? [credential.value] : [])],
    };
  };

  if (id.startsWith("custom:")) {
    const address = providerAddress(id.slice("custom:".length));
    const name = `custom:${address.shown}`;
    return {
      ...facts,
      name,
      mode: modeOf(address, config),
      ...pick(address, ["SERVICE_API_KEY", "API_KEY"]),
    };
  }
  const local = Object.hasOwn(locals, id) ? locals[id] : undefined;
  if (local) {
    const meant = configured === undefined || !isLocal(configured) || canonical(configured) === id;
    const address = providerAddress((meant ? config.api_url : undefined) ?? local.url);
    return {
      ...facts,
      name: id,
      toolOption: local.toolOption,
      ...pick(address, local.key ? [local.key] : []),
    };
  }
  const service =
    id === "hostedllm"
      ? { url: hostedUrl(config), key: "HOSTEDLLM_API_KEY", docs: undefined }
      : services.get(id);
  if (!service) return undefined;
  const { docs } = service;
  const [first, second] = key.withheld
    ? [key.withheld, service.key]
    : [`set ${service.key}`, `providers.${id}.api_key`];
  const keyAdvice = service.key && `${first}, or ${second}${docs ? ` (see ${docs})` : ""}`;
  return {
    ...facts,
    name: id,
    keyAdvice,
    ...pick(providerAddress(service.url), service.key ? [service.key] : []),
  };
}

/** Throws if an endpoint that needs a credential has none. */
export function requireCredential(endpoint: Endpoint): void {
  if (endpoint.keyAdvice && endpoint.credential.value === undefined)
    throw common.PROVIDER_NO_KEY(endpoint.name, endpoint.keyAdvice);
}

/** True for the providers that `api_url` can move. */
export function isLocal(id: string): boolean {
  return Object.hasOwn(locals, canonical(id));
}

/** The id behind an alias. */
export function canonical(id: string): string {
  return Object.hasOwn(aliases, id) ? (aliases[id] as string) : id;
}

/** Other ids for it. */
export function aliasesOf(id: string): string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === id);
}

function hostedUrl(config: EndpointConfig): string {
  if (!config.endpoints.hosted_url) throw errors.CHAT_HOSTED_URL();
  return `${config.endpoints.hosted_url.replace(/\/+$/, "")}/v1`;
}

function modeOf(address: ProviderAddress, config: EndpointConfig): Endpoint["mode"] {
  const vendor = address.shown === providerAddress(config.endpoints.vendor_api_url).shown;
  return config.provider_api ?? (vendor ? "responses" : "chat-completions");
}

function credentialOf(key: string | undefined, variables: readonly string[], env: Env): Credential {
  if (key) return { value: key, source: "config" };
  const variable = variables.find((name) => env[name]?.trim());
  return variable
    ? { value: env[variable]?.trim(), source: `${variable} env var` }
    : { value: undefined, source: "none" };
}
