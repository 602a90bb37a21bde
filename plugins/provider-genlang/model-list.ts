import { errors as common, type Upstream } from "@gantry/sdk";
import { fetchModelList, modelNames, providerAddress } from "@gantry/sdk/provider";
import { meantStatus } from "./ask.ts";
import { NAME, type GenlangConfig } from "./config.ts";
import { errors } from "./errors.ts";

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
  const address = providerAddress(config.endpoints.genlang_url);
  const names: string[] = [];
  let token: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const url = new URL(address.at("/models"));
    url.searchParams.set("key", key);
    if (token !== undefined) url.searchParams.set("pageToken", token);
    const answer = await fetchModelList(upstream, {
      provider: NAME,
      url: url.href,
      secrets: [key],
      timeoutMs,
      signal,
      meantStatus,
    });
    if (answer.absent) throw errors.GENLANG_LIST_ABSENT(`${address.shown}/models`, answer.status);
    const { models, nextPageToken } = pageOf(answer.value);
    for (const { name, supportedGenerationMethods: methods } of Array.isArray(models) ? models : []) {
      if (typeof name === "string" && (!Array.isArray(methods) || methods.includes("generateContent")))
        names.push(name.replace(/^models\//, ""));
    }
    if (typeof nextPageToken !== "string" || nextPageToken === "") break;
    token = nextPageToken;
  }
  return modelNames(names);
}

function pageOf(value: unknown): Page {
  if (typeof value === "object" && value !== null) return value;
  throw common.PROVIDER_MALFORMED(NAME, "it is not a list of models");
}
