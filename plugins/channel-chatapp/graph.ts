import { GantryError, type Sent, type Upstream } from "@gantry/sdk";
import { platformAddress } from "@gantry/sdk/channel";
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
      return sentBy(response, (await this.#failure(response)).message);
    } catch (error) {
      // It cannot be reached, or may not be: that is true of every message.
      const reason = scrub((error as Error).message, this.#settings);
      const isCut = signal.aborted || (error as Partial<GantryError>).code === "NET_TIMEOUT";
      return { status: "retry", reason, scope: isCut ? "message" : "channel" };
    }
  }

  /** Asks for the phone number; throws CHATAPP_* and NET_*. */
  async check(signal: AbortSignal): Promise<void> {
    const response = await this.#request("GET", "", signal);
    if (response.status !== 200) throw await this.#failure(response);
    await response.text();
  }

  /** Throws CHANNEL_INSECURE_URL for what is neither https nor, where that is allowed, this machine. */
  address(): string {
    const { graphUrl, phoneNumberId, allowInsecureLoopback } = this.#settings;
    const base = platformAddress("endpoints.graph_url", graphUrl, allowInsecureLoopback);
    return `${base}/v18.0/${encodeURIComponent(phoneNumberId)}`;
  }

  async #request(method: string, path: string, signal: AbortSignal, body?: string): Promise<Response> {
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

  async #failure(response: Response): Promise<GantryError> {
    const cause = scrub(await causeOf(response), this.#settings);
    if (response.status === 401) return errors.CHATAPP_API_401(cause);
    if (response.status === 403) return errors.CHATAPP_API_403(cause);
    return errors.CHATAPP_API(response.status, cause);
  }
}

const refusedAccount = new Set([401, 403]);
const again = new Set([408, 425, 429]);

/** What an answer that is no success means for the message, and for all others. */
function sentBy({ status, headers }: Response, reason: string): Sent {
  if (refusedAccount.has(status)) return { status: "retry", reason, scope: "channel" };
  if (status < 500 && !again.has(status)) return { status: "refused", reason };
  const seconds = Number(headers.get("retry-after"));
  const isNamed = Number.isFinite(seconds) && seconds > 0;
  return { status: "retry", reason, ...(isNamed && { afterMs: seconds * 1_000 }) };
}

/** The platform's own words, where it has any. */
async function causeOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : "no cause given";
  } catch {
    return text.trim() || "no cause given";
  }
}
