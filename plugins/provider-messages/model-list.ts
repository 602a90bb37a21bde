import { answerFailure, beginningOf, errors as common, modelNames, ProviderError, thrownFailure } from "@gantry/sdk";
import type { Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asObject } from "./json.ts";
import type { Server } from "./server.ts";

const LIST_BYTES = 8 * 1024 * 1024;
const ABSENT = new Set([404, 405, 501]);

/** GET …/v1/models: the ids on offer. Throws `MESSAGES_NO_MODEL_LIST` where the server has no list, and `PROVIDER_*`. */
export async function listModels(upstream: Upstream, server: Server, signal: AbortSignal): Promise<readonly string[]> {
  const { name, address, secrets, timeoutMs } = server;
  const headers = { ...server.headers, accept: "application/json" };
  const response = await upstream
    .fetch({ url: address.at("/v1/models"), headers, signal, timeoutMs, maxBytes: LIST_BYTES })
    .catch((error: unknown) => {
      throw new ProviderError(thrownFailure(name, error, signal, timeoutMs / 1000));
    });
  const body = await beginningOf(response, LIST_BYTES);
  const { status } = response;
  if (ABSENT.has(status)) throw errors.MESSAGES_NO_MODEL_LIST(name, status);
  const retryAfter = response.headers["retry-after"];
  if (status < 200 || status >= 300)
    throw new ProviderError(answerFailure({ provider: name, model: undefined, status, body, retryAfter, secrets }));
  const ids = readList(body);
  if (!ids) throw common.PROVIDER_MALFORMED(name, "it is not a list of models");
  return ids;
}

function readList(body: string): readonly string[] | undefined {
  try {
    const list = asObject(JSON.parse(body))?.data;
    return Array.isArray(list) ? modelNames(list.map((entry) => asObject(entry)?.id)) : undefined;
  } catch {
    return undefined;
  }
}
