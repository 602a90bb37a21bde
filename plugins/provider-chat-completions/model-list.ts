import { errors as common, type Upstream } from "@gantry/sdk";
import { asObject, asText, fetchModelList, modelNames } from "@gantry/sdk/provider";
import { authorization } from "./ask.ts";
import { requireCredential } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { errors } from "./errors.ts";

/**
 * Servers' names for the window that they run the model with, before the one that it was made for.
 */
const WINDOW_KEYS = [
  "n_ctx",
  "loaded_context_length",
  "max_model_len",
  "context_window",
  "context_length",
  "max_context_length",
  "n_ctx_train",
];
const LEAST_WINDOW = 256;

/**
 * GET …/models: the ids on offer, in the server's order. Throws `CHAT_NO_MODEL_LIST` where the
 * server has no list, and `PROVIDER_*`.
 */
export async function listModels(
  upstream: Upstream,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return modelNames((await fetchList(upstream, endpoint, signal)).map(idOf));
}

/**
 * Returns the tokens that a model takes, if the server's list tells them; those of the only model
 * on the list if none is named.
 */
export async function windowOf(
  upstream: Upstream,
  endpoint: Endpoint,
  model: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const list = await fetchList(upstream, endpoint, signal);
  const entry = model === undefined && list.length === 1 ? list[0] : list.find((one) => idOf(one) === model);
  const facts = asObject(entry);
  const places = [facts, asObject(facts?.meta), asObject(facts?.top_provider)];
  const said = places.flatMap((place) => WINDOW_KEYS.map((key) => Number(place?.[key])));
  return said.find((tokens) => Number.isInteger(tokens) && tokens >= LEAST_WINDOW);
}

async function fetchList(
  upstream: Upstream,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  requireCredential(endpoint);
  const { name, address, secrets, withheld, timeoutMs } = endpoint;
  const answer = await fetchModelList(upstream, {
    provider: name,
    url: address.at("/models"),
    headers: authorization(endpoint),
    secrets,
    withheld,
    timeoutMs,
    signal,
  });
  if (answer.absent) throw errors.CHAT_NO_MODEL_LIST(name, answer.status);
  const list = readList(answer.value);
  if (!list) throw common.PROVIDER_MALFORMED(name, "it is not a list of models");
  return list;
}

/** Lists come as `{data: [{id}]}`, `{models: [{name}]}` or a bare array. */
function readList(value: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(value) ? value : (asObject(value)?.data ?? asObject(value)?.models);
  return Array.isArray(list) ? list : undefined;
}

function idOf(entry: unknown): string | undefined {
  return asText(entry) ?? asText(asObject(entry)?.id) ?? asText(asObject(entry)?.name);
}
