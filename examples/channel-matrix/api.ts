import type { Upstream } from "@gantry/sdk";
import { PlatformCalls, PlatformFailure, scrubber } from "@gantry/sdk/channel";
import type { Settings } from "./settings.ts";

/** The client-server API, version 3, as far as a channel needs it. */
export class MatrixApi {
  readonly #settings: Settings;
  readonly #calls: PlatformCalls;
  readonly #scrub: (text: string) => string;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#scrub = scrubber([settings.token]);
    this.#calls = new PlatformCalls(upstream, { scrub: this.#scrub });
  }

  /** `path` below `/_matrix/client/v3`. Throws PlatformFailure. */
  call<T>(method: string, path: string, signal: AbortSignal, body?: object, timeoutMs?: number): Promise<T> {
    const headers = { authorization: `Bearer ${this.#settings.token}` };
    const request = { method, headers, signal, ...(body && { body }), ...(timeoutMs && { timeoutMs }) };
    const make = () => ({ url: `${this.#settings.address()}/_matrix/client/v3${path}`, ...request });
    return this.#calls.call(make, ({ status, body: answer }) => {
      if (status === 200) return answer as T;
      throw this.#refusal(status, Object(answer) as Refusal);
    });
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
