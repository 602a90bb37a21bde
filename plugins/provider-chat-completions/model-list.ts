import {
  answerFailure,
  beginningOf,
  errors as common,
  modelNames,
  ProviderError,
  thrownFailure,
} from "@gantry/sdk";
import type { Upstream } from "@gantry/sdk";
import { authorization } from "./ask.ts";
import { requireCredential } from "./endpoint.ts";
import type { Endpoint } from "./endpoint.ts";
import { errors } from "./errors.ts";
import { asObject, asText } from "./json.ts";

const LIST_BYTES = 8 * 1024 * 1024;
/** What servers call the window that they run the model with, before the one that it was made for. */
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
const ABSENT = new Set([404, 405, 501]);

/** GET …/models: the ids on offer, in the server's order. Throws `CHAT_NO_MODEL_LIST` where the server has no list, and `PROVIDER_*`. */
export async function listModels(
  upstream: Upstream,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return modelNames((await fetchList(upstream, endpoint, signal)).map(idOf));
}

/** How many tokens a model takes, where the server's list says so; of the only model on the list where none is named. */
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
  const { name, address, secrets, timeoutMs } = endpoint;
  const headers = { ...authorization(endpoint), accept: "application/json" };
  const response = await upstream
    .fetch({ url: address.at("/models"), headers, signal, timeoutMs, maxBytes: LIST_BYTES })
    .catch((error: unknown) => {
      throw new ProviderError(thrownFailure(name, error, signal, timeoutMs / 1000));
    });
  const body = await beginningOf(response, LIST_BYTES);
  const { status } = response;
  if (ABSENT.has(status)) throw errors.CHAT_NO_MODEL_LIST(name, status);
  const retryAfter = response.headers["retry-after"];
  if (status < 200 || status >= 300)
    throw new ProviderError(
      answerFailure({ provider: name, model: undefined, status, body, retryAfter, secrets }),
    );
  const list = readList(body);
  if (!list) throw common.PROVIDER_MALFORMED(name, "it is not a list of models");
  return list;
}

/** Lists come as `{data: [{id}]}`, `{models: [{name}]}` or a bare array. */
function readList(body: string): readonly unknown[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const list = Array.isArray(value) ? value : (asObject(value)?.data ?? asObject(value)?.models);
  return Array.isArray(list) ? list : undefined;
}

function idOf(entry: unknown): string | undefined {
  return asText(entry) ?? asText(asObject(entry)?.id) ?? asText(asObject(entry)?.name);
}
