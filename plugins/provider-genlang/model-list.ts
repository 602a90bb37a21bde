import { answerFailure, errors as common, modelNames, providerAddress, ProviderError } from "@gantry/sdk";
import type { Upstream } from "@gantry/sdk";
import { NAME } from "./config.ts";
import type { GenlangConfig } from "./config.ts";

const PAGES = 20;

interface Page {
  readonly models?: readonly { readonly name?: unknown; readonly supportedGenerationMethods?: unknown }[];
  readonly nextPageToken?: unknown;
}

/** The models that can answer a chat, without their `models/`. Throws coded errors. */
export async function listModels(
  config: GenlangConfig,
  upstream: Upstream,
  key: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names: string[] = [];
  let token: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const url = new URL(providerAddress(config.endpoints.genlang_url).at("/models"));
    url.searchParams.set("key", key);
    if (token !== undefined) url.searchParams.set("pageToken", token);
    const response = await upstream.fetch({ url: url.href, signal, timeoutMs, connectTimeoutMs: 10_000 });
    const body = await response.text();
    if (response.status !== 200) {
      const status = /API_KEY_INVALID|API key not valid/i.test(body) ? 401 : response.status;
      throw new ProviderError(
        answerFailure({ provider: NAME, model: undefined, status, body, secrets: [key] }),
      );
    }
    const { models, nextPageToken } = parse(body);
    for (const { name, supportedGenerationMethods: methods } of Array.isArray(models) ? models : []) {
      if (typeof name === "string" && (!Array.isArray(methods) || methods.includes("generateContent")))
        names.push(name.replace(/^models\//, ""));
    }
    if (typeof nextPageToken !== "string" || nextPageToken === "") break;
    token = nextPageToken;
  }
  return modelNames(names);
}

function parse(body: string): Page {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Told below, like any other answer that is no list.
  }
  throw common.PROVIDER_MALFORMED(NAME, "its model list is not JSON");
}
