import { errors as common, type Upstream } from "@gantry/sdk";
import { asObject, fetchModelList, modelNames } from "@gantry/sdk/provider";
import { errors } from "./errors.ts";
import type { Server } from "./server.ts";

/** Beside the messages, as the contract has it; beside `/v1/messages`, as most servers have it. */
const PATHS = ["/models", "/v1/models"];

/**
 * The ids on offer. Throws `MESSAGES_NO_MODEL_LIST` where the server has no list, and `PROVIDER_*`.
 */
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
  const { name: provider, address, headers, secrets, withheld, timeoutMs } = server;
  const about = { provider, headers, secrets, withheld, timeoutMs, signal };
  const answer = await fetchModelList(upstream, { ...about, url: address.at(path) });
  if (answer.absent) return errors.MESSAGES_NO_MODEL_LIST(provider, answer.status);
  const list = asObject(answer.value)?.data;
  return Array.isArray(list)
    ? modelNames(list.map((entry) => asObject(entry)?.id))
    : common.PROVIDER_MALFORMED(provider, "it is not a list of models");
}
