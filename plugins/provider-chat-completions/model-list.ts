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
const ABSENT = new Set([404, 405, 501]);

/** GET …/models: the ids on offer, in the server's order. Throws `CHAT_NO_MODEL_LIST` where the server has no list, and `PROVIDER_*`. */
export async function listModels(
  upstream: Upstream,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<readonly string[]> {
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
  const ids = readList(body);
  if (!ids) throw common.PROVIDER_MALFORMED(name, "it is not a list of models");
  return ids;
}

/** Lists come as `{data: [{id}]}`, `{models: [{name}]}` or a bare array. */
function readList(body: string): readonly string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const list = Array.isArray(value) ? value : (asObject(value)?.data ?? asObject(value)?.models);
  if (!Array.isArray(list)) return undefined;
  return modelNames(
    list.map((entry) => asText(entry) ?? asText(asObject(entry)?.id) ?? asText(asObject(entry)?.name)),
  );
}
