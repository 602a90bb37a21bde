import type { Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** The time within which a driver that answers at all answers. */
const CONNECT_MS = 2_000;
/** A session takes a browser's start, and a page its whole time. */
const ANSWER_MS = 120_000;

/** The word for a driver that is there and does not answer; none of the protocol's. */
export const LATE = "late";

type Fields = Readonly<Record<string, any>>;

/** The W3C protocol: one request, one JSON answer. */
export class WebDriver {
  readonly #upstream: Upstream;
  readonly #base: string;

  /** Throws `BROWSER_DRIVER_FAR`. */
  constructor(upstream: Upstream, base: string) {
    const url = URL.parse(base);
    const near = url !== null && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
    if (!url || (url.protocol !== "https:" && !near)) throw errors.BROWSER_DRIVER_FAR(base);
    this.#upstream = upstream;
    this.#base = base.replace(/\/$/, "");
  }

  get address(): string {
    return this.#base;
  }

  /**
   * Throws `BROWSER_DRIVER` where nobody answers, and an Error with the driver's own word where it
   * refuses.
   */
  async call(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: Fields,
    withinMs = ANSWER_MS,
  ): Promise<any> {
    const answer = await this.#request(method, path, body, withinMs);
    if (answer.error === undefined) return answer.value;
    throw Object.assign(new Error(String(answer.message).split("\n")[0]!.slice(0, 300)), {
      word: answer.error,
    });
  }

  async #request(
    method: string,
    path: string,
    body: Fields | undefined,
    withinMs: number,
  ): Promise<{ readonly value?: unknown; readonly error?: string; readonly message?: string }> {
    const signal = AbortSignal.timeout(withinMs);
    try {
      const response = await this.#upstream.fetch({
        url: this.#base + path,
        method,
        ...(method === "POST" && {
          body: JSON.stringify(body ?? {}),
          headers: { "content-type": "application/json" },
        }),
        signal,
        connectTimeoutMs: CONNECT_MS,
        timeoutMs: withinMs,
        maxBytes: 64 * 1024 * 1024,
      });
      const { value } = JSON.parse(await response.text()) as { readonly value: any };
      return response.status < 400
        ? { value }
        : { error: String(value.error), message: String(value.message) };
    } catch (error) {
      if (signal.aborted) return { error: LATE, message: `it did not answer in ${withinMs / 1_000} s` };
      throw errors.BROWSER_DRIVER(this.#base, error);
    }
  }
}
