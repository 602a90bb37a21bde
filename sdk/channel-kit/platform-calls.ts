import type { Upstream } from "../tools/net.ts";
import { reach, type ReachOptions } from "./platform-failure.ts";

const timeoutMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;

/** A request to a platform's HTTP interface. */
export interface PlatformRequest {
  readonly url: string;
  /** Default: POST. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form or bytes as they are; any other object as JSON, without half a surrogate pair. */
  readonly body?: object;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole answer; default 30,000. */
  readonly timeoutMs?: number;
}

export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The answer's JSON; `undefined` for an empty answer, `null` for another text. */
  readonly body: unknown;
}

/** Calls a platform. What `make` and `read` throw is a {@link PlatformFailure} too. */
export class PlatformCalls {
  readonly #upstream: Upstream;
  readonly #options: ReachOptions;

  constructor(upstream: Upstream, options: ReachOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  /** Resolves to what `read` makes of the answer. */
  call<T>(make: () => PlatformRequest, read: (answer: PlatformAnswer) => T): Promise<T> {
    return this.#fetch(make, maxAnswerBytes, async (response) => {
      const { status, headers } = response;
      return read({ status, headers, body: parsed(await response.text()) });
    });
  }

  /** Resolves to the bytes at an address, if `accepts` does not throw. */
  download(
    make: () => PlatformRequest,
    maxBytes: number,
    accepts: (response: Response) => void,
  ): Promise<Uint8Array> {
    return this.#fetch(make, maxBytes, async (response) => {
      const bytes = new Uint8Array(await response.arrayBuffer());
      accepts(response);
      return bytes;
    });
  }

  #fetch<T>(
    make: () => PlatformRequest,
    maxBytes: number,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const work = async (): Promise<T> => {
      const { body, headers, ...request } = make();
      const packed = body === undefined ? undefined : await pack(body);
      const whole = { method: "POST", timeoutMs, maxBytes, ...request, ...packed };
      return read(await this.#upstream.fetch({ ...whole, headers: { ...packed?.headers, ...headers } }));
    };
    return reach(work, this.#options);
  }
}

async function pack(body: object): Promise<{
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}> {
  if (body instanceof Uint8Array) return { body };
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  if (!isForm)
    return { body: JSON.stringify(body, wellFormed), headers: { "content-type": "application/json" } };
  const form = new Response(body);
  const headers = { "content-type": form.headers.get("content-type") ?? "" };
  return { body: new Uint8Array(await form.arrayBuffer()), headers };
}

/** Platforms refuse a text that ends, or begins, within a surrogate pair. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
