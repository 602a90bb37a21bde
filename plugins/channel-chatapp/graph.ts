import { GantryError, type NetResponse, type Sent, type Upstream } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { scrub } from "./scrub.ts";
import type { Settings } from "./settings.ts";

const timeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024;

/** The platform's API. */
export class Graph {
  readonly #settings: Settings;
  readonly #upstream: Upstream;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#upstream = upstream;
  }

  /** Sends one text of at most 4,096 characters. Never throws. */
  async send(to: string, body: string, signal: AbortSignal): Promise<Sent> {
    const message = {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: to.replace(/^\+/, ""),
      type: "text",
      text: { preview_url: false, body },
    };
    try {
      const response = await this.#request("POST", "/messages", signal, JSON.stringify(message));
      if (response.status >= 200 && response.status < 300) {
        // An answer that is not read would hold its connection and all that belongs to it.
        await response.text().catch(() => "");
        return { status: "sent" };
      }
      const again = response.status === 408 || response.status === 429 || response.status >= 500;
      return { status: again ? "retry" : "refused", reason: (await this.#failure(response)).message };
    } catch (error) {
      const refused = error instanceof GantryError && error.code === "CHATAPP_INSECURE_URL";
      return {
        status: refused ? "refused" : "retry",
        reason: scrub((error as Error).message, this.#settings),
      };
    }
  }

  /** Asks for the phone number; throws CHATAPP_* and NET_*. */
  async check(signal: AbortSignal): Promise<void> {
    const response = await this.#request("GET", "", signal);
    if (response.status !== 200) throw await this.#failure(response);
    await response.text();
  }

  /** Throws CHATAPP_INSECURE_URL for what is neither https nor, where that is allowed, this machine. */
  address(): string {
    const { graphUrl, phoneNumberId, allowInsecureLoopback } = this.#settings;
    const url = URL.parse(graphUrl);
    const local = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url?.hostname ?? "");
    const secure =
      url?.protocol === "https:" || (url?.protocol === "http:" && local && allowInsecureLoopback);
    if (!url || !secure)
      throw errors.CHATAPP_INSECURE_URL(url ? `${url.protocol}//${url.host}` : "no address");
    return `${url.origin}${url.pathname.replace(/\/+$/, "")}/v18.0/${encodeURIComponent(phoneNumberId)}`;
  }

  async #request(method: string, path: string, signal: AbortSignal, body?: string): Promise<NetResponse> {
    const headers = {
      authorization: `Bearer ${this.#settings.accessToken}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const url = `${this.address()}${path}`;
    return this.#upstream.fetch({
      url,
      method,
      headers,
      signal,
      timeoutMs,
      maxBytes: maxAnswerBytes,
      ...(body !== undefined && { body }),
    });
  }

  async #failure(response: NetResponse): Promise<GantryError> {
    const cause = scrub(await causeOf(response), this.#settings);
    if (response.status === 401) return errors.CHATAPP_API_401(cause);
    if (response.status === 403) return errors.CHATAPP_API_403(cause);
    return errors.CHATAPP_API(response.status, cause);
  }
}

/** The platform's own words, where it has any. */
async function causeOf(response: NetResponse): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : "no cause given";
  } catch {
    return text.trim() || "no cause given";
  }
}
