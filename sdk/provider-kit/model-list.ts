import type { Upstream } from "../tools/net.ts";
import { beginningOf } from "./answer-stream.ts";
import { answerFailure, ProviderError, thrownFailure } from "./failure.ts";

const LIST_BYTES = 8 * 1024 * 1024;
/** Statuses of servers that have no list of models, which is optional. */
const ABSENT: ReadonlySet<number> = new Set([404, 405, 501]);

export interface ModelListRequest {
  /** The provider, as it is named to people. */
  readonly provider: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Credentials that are sent and must not come back in a sentence. */
  readonly secrets?: readonly string[];
  /** Why a configured key is not sent: `withheld` of a `ConfiguredKey`. */
  readonly withheld?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Returns the status that an answer means, if only its body says so. Default: its own. */
  meantStatus?(status: number, body: string): number;
}

/**
 * The server's answer: a JSON value, undefined if it was none; or the status by which it says that
 * it has no list.
 */
export type ModelListAnswer =
  | { readonly absent: false; readonly value: unknown }
  | { readonly absent: true; readonly status: number };

/**
 * GETs a list of models. Throws a {@link ProviderError} if the server cannot be asked or refuses.
 */
export async function fetchModelList(
  upstream: Upstream,
  request: ModelListRequest,
): Promise<ModelListAnswer> {
  const { provider, url, secrets = [], timeoutMs, signal } = request;
  const headers = { accept: "application/json", ...request.headers };
  const response = await upstream
    .fetch({ url, headers, signal, timeoutMs, maxBytes: LIST_BYTES })
    .catch((error: unknown) => {
      throw new ProviderError(thrownFailure(provider, error, signal, timeoutMs / 1000));
    });
  const body = await beginningOf(response, LIST_BYTES);
  const status = request.meantStatus?.(response.status, body) ?? response.status;
  if (ABSENT.has(status)) return { absent: true, status };
  if (status >= 200 && status < 300) return { absent: false, value: parsed(body) };
  const retryAfter = response.headers.get("retry-after");
  const answer = { provider, model: undefined, status, body, retryAfter, secrets };
  throw new ProviderError(answerFailure({ ...answer, withheld: request.withheld }));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
