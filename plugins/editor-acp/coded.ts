import { RequestError } from "@agentclientprotocol/sdk";
import { GantryError, type ProviderFailure } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** Codes of JSON-RPC and of the protocol. */
const invalidParams = -32602;
const internal = -32603;
const notFound = -32002;

/** Returns what an editor is told of a failure: Gantry's sentence, and its code in `data.code`. */
export function asRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const { message } = asError(thrown);
  if (!(thrown instanceof GantryError)) return new RequestError(internal, message, { code: "INTERNAL" });
  const { code, exit } = thrown;
  const isUnknown = code === errors.ACP_SESSION_UNKNOWN.code;
  return new RequestError(isUnknown ? notFound : exit === 1 ? internal : invalidParams, message, { code });
}

/** Returns the failure of a turn as an editor is told it. */
export function failedTurn({ code, message }: ProviderFailure): RequestError {
  return new RequestError(internal, message, { code });
}

/** Has a handler tell its failures so. */
export function coded<In, Out>(handle: (given: In) => Promise<Out>): (given: In) => Promise<Out> {
  return async (given) => {
    try {
      return await handle(given);
    } catch (error) {
      throw asRequestError(error);
    }
  };
}
