import type { Upstream } from "@gantry/sdk";
import { PlatformFailure, reach, scrubber } from "@gantry/sdk/channel";
import type { Settings } from "./settings.ts";
const timeoutMs = 30_000;

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

  /** `path` below `/_matrix/client/v3`. Throws PlatformFailure. */
  call<T>(method: string, path: string, signal: AbortSignal, body?: object, ms = timeoutMs): Promise<T> {
    const headers = { authorization: `Bearer ${this.#settings.token}`, "content-type": "application/json" };
    const request = { method, headers, signal, timeoutMs: ms, ...(body && { body: JSON.stringify(body) }) };
    const call = async (): Promise<T> => {
      const url = `${this.#settings.address()}/_matrix/client/v3${path}`;
      const response = await this.#upstream.fetch({ url, ...request });
      const answer = JSON.parse((await response.text()) || "{}") as T & Refusal;
      if (response.status === 200) return answer;
      throw this.#refusal(response.status, answer);
    };
    return reach(call, { scrub: this.#scrub });
  }

  /** Returns the id of the agent's own account. */
  async whoAmI(signal: AbortSignal): Promise<string> {
    return (await this.call<{ user_id: string }>("GET", "/account/whoami", signal)).user_id;
  }

  #refusal(status: number, { errcode = "", error = "", retry_after_ms }: Refusal): PlatformFailure {
    const cause = this.#scrub(`${errcode} ${error}`);
    const cure = status === 401 ? ": the access token is wrong or was revoked; set a new one." : ".";
    const sentence = `API error: ${status} (${cause})${cure}`;
    if (status === 401) return new PlatformFailure("account", sentence);
    if (status === 429) return new PlatformFailure("rate", sentence, retry_after_ms);
    if (status === 400) return new PlatformFailure("form", sentence);
    return new PlatformFailure(status >= 500 ? "again" : "refused", sentence);
  }
}

interface Refusal {
  readonly errcode?: string;
  readonly error?: string;
  readonly retry_after_ms?: number;
}
