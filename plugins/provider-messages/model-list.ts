import {
  answerFailure,
  beginningOf,
  errors as common,
  modelNames,
  ProviderError,
  thrownFailure,
} from "@gantry/sdk";
import type { Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asObject } from "./json.ts";
import type { Server } from "./server.ts";

const LIST_BYTES = 8 * 1024 * 1024;
const ABSENT = new Set([404, 405, 501]);

/** Beside the messages, as the contract has it; beside `/v1/messages`, as most servers have it. */
const PATHS = ["/models", "/v1/models"];

/** The ids on offer. Throws `MESSAGES_NO_MODEL_LIST` where the server has no list, and `PROVIDER_*`. */
export async function listModels(
  upstream: Upstream,
  server: Server,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let failure: Error | undefined;
  for (const path of PATHS) {
    const found = await listAt(path, upstream, server, signal);
    if (!(found instanceof Error)) return found;
    failure = found;
  }
  throw failure;
}

/** Gives an error where no list is to be found there; throws any other. */
async function listAt(
  path: string,
  upstream: Upstream,
  server: Server,
  signal: AbortSignal,
): Promise<readonly string[] | Error> {
  const { name, address, secrets, timeoutMs } = server;
  const headers = { ...server.headers, accept: "application/json" };
  const response = await upstream
    .fetch({ url: address.at(path), headers, signal, timeoutMs, maxBytes: LIST_BYTES })
    .catch((error: unknown) => {
      throw new ProviderError(thrownFailure(name, error, signal, timeoutMs / 1000));
    });
  const body = await beginningOf(response, LIST_BYTES);
  const { status } = response;
  if (ABSENT.has(status)) return errors.MESSAGES_NO_MODEL_LIST(name, status);
  const retryAfter = response.headers["retry-after"];
  if (status < 200 || status >= 300)
    throw new ProviderError(
      answerFailure({ provider: name, model: undefined, status, body, retryAfter, secrets }),
    );
  return readList(body) ?? common.PROVIDER_MALFORMED(name, "it is not a list of models");
}

function readList(body: string): readonly string[] | undefined {
  try {
    const list = asObject(JSON.parse(body))?.data;
    return Array.isArray(list) ? modelNames(list.map((entry) => asObject(entry)?.id)) : undefined;
  } catch {
    return undefined;
  }
}
