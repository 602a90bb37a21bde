import type { Sent, Upstream } from "@gantry/sdk";
import { scrubber, type Trouble } from "@gantry/sdk/channel";
import type { Settings } from "./settings.ts";
const timeoutMs = 30_000;

/** What the homeserver refused, or why it was not reached. */
export class MatrixFailure extends Error implements Trouble {
  readonly status: number;
  readonly reason: string;
  readonly refused: boolean;
  readonly afterMs?: number;

  constructor(status: number, reason: string, afterMs?: number) {
    super(reason);
    this.reason = reason;
    this.status = status;
    this.refused = status === 401;
    if (afterMs !== undefined) this.afterMs = afterMs;
  }

  /** What it means for the message that was to be sent. */
  get sent(): Sent {
    const { status, reason, afterMs } = this;
    if (status === 401 || status === 0) return { status: "retry", reason, scope: "channel" };
    if (status === 429 || status >= 500)
      return { status: "retry", reason, ...(afterMs !== undefined && { afterMs }) };
    return { status: "refused", reason };
  }
}

/** The client-server API, version 3, as far as a channel needs it. */
export class MatrixApi {
  readonly #settings: Settings;
  readonly #upstream: Upstream;
  readonly #scrub: (text: string) => string;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#upstream = upstream;
    this.#scrub = scrubber([settings.token]);
  }

  /** `path` below `/_matrix/client/v3`. Throws MatrixFailure. */
  async call<T>(
    method: string,
    path: string,
    signal: AbortSignal,
    body?: object,
    ms = timeoutMs,
  ): Promise<T> {
    const headers = { authorization: `Bearer ${this.#settings.token}`, "content-type": "application/json" };
    const request = { method, headers, signal, timeoutMs: ms, ...(body && { body: JSON.stringify(body) }) };
    try {
      const url = `${this.#settings.address()}/_matrix/client/v3${path}`;
      const response = await this.#upstream.fetch({ url, ...request });
      const answer = JSON.parse((await response.text()) || "{}") as T & Refusal;
      if (response.status === 200) return answer;
      throw this.#refusal(response.status, answer);
    } catch (error) {
      if (error instanceof MatrixFailure) throw error;
      throw new MatrixFailure(0, this.#scrub((error as Error).message));
    }
  }

  #refusal(status: number, { errcode = "", error = "", retry_after_ms }: Refusal): MatrixFailure {
    const cure = status === 401 ? ": the access token is wrong or was revoked; set a new one." : ".";
    return new MatrixFailure(
      status,
      `API error: ${status} (${this.#scrub(`${errcode} ${error}`)})${cure}`,
      retry_after_ms,
    );
  }
}

interface Refusal {
  readonly errcode?: string;
  readonly error?: string;
  readonly retry_after_ms?: number;
}
