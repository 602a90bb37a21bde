import { isWithoutAnswer, type GantryError, type Sent, type Upstream } from "@gantry/sdk";
import { platformAddress } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { scrub } from "./scrub.ts";
import type { Settings } from "./settings.ts";

const timeoutMs = 30_000;
const uploadMs = 120_000;
const maxAnswerBytes = 64 * 1024;

/** The platform's API. */
export class Graph {
  readonly #settings: Settings;
  readonly #upstream: Upstream;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#upstream = upstream;
  }

  /** Sends one message of the given type. Never throws. */
  async send(to: string, message: object, signal: AbortSignal): Promise<Sent> {
    const body = { messaging_product: "whatsapp", recipient_type: "individual", to: digits(to), ...message };
    const sent = await this.#post("/messages", signal, JSON.stringify(body, wellFormed));
    return "answer" in sent ? { status: "sent" } : sent;
  }

  /** Brings a file to the platform; returns its id there, or why it has none. Never throws. */
  async upload(
    bytes: Uint8Array,
    { mime, name }: { readonly mime: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<string | Sent> {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", mime);
    form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mime }), name);
    const sent = await this.#post("/media", signal, form);
    if (!("answer" in sent)) {
      if (sent.status !== "retry") return sent;
      // A file that came twice is seen by nobody.
      const { unsure: _, ...rest } = sent;
      return rest;
    }
    const { id } = sent.answer as { readonly id?: unknown };
    return typeof id === "string" ? id : { status: "refused", reason: errors.CHATAPP_NO_FILE().message };
  }

  /** Marks a message as read and shows typing for up to 25 s. Throws CHATAPP_* and NET_*. */
  async working(message: string, signal: AbortSignal): Promise<void> {
    const body = {
      messaging_product: "whatsapp",
      status: "read",
      message_id: message,
      typing_indicator: { type: "text" },
    };
    const response = await this.#request("POST", "/messages", signal, JSON.stringify(body));
    if (!response.ok) throw await this.#failure(response);
    await response.text();
  }

  /** Asks for the phone number; throws CHATAPP_* and NET_*. */
  async check(signal: AbortSignal): Promise<void> {
    const response = await this.#request("GET", "", signal);
    if (response.status !== 200) throw await this.#failure(response);
    await response.text();
  }

  /** Returns why it does not answer; undefined if it does. */
  async away(signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.check(signal);
    } catch (error) {
      const { code, message } = error as GantryError;
      if (code.startsWith("NET_")) return scrub(message, this.#settings);
    }
    return undefined;
  }

  /**
   * Throws CHANNEL_INSECURE_URL for what is neither https nor, if that is allowed, this machine.
   */
  address(): string {
    const { graphUrl, phoneNumberId, allowInsecureLoopback } = this.#settings;
    const base = platformAddress("endpoints.graph_url", graphUrl, allowInsecureLoopback);
    return `${base}/v18.0/${encodeURIComponent(phoneNumberId)}`;
  }

  async #post(
    path: string,
    signal: AbortSignal,
    body: string | FormData,
  ): Promise<Exclude<Sent, { status: "sent" }> | { readonly answer: object }> {
    try {
      const response = await this.#request("POST", path, signal, body);
      if (response.status < 200 || response.status >= 300)
        return sentBy(response, (await this.#failure(response)).message);
      // An answer that is not read would hold its connection and all that belongs to it.
      return { answer: objectOf(await response.text().catch(() => "")) };
    } catch (error) {
      // It cannot be reached, or may not be: that is true of every message.
      const reason = scrub((error as Error).message, this.#settings);
      const isCut = signal.aborted || (error as Partial<GantryError>).code === "NET_TIMEOUT";
      const scope = isCut ? "message" : "channel";
      return { status: "retry", reason, scope, ...(isWithoutAnswer(error) && { unsure: true as const }) };
    }
  }

  async #request(
    method: string,
    path: string,
    signal: AbortSignal,
    given?: string | FormData,
  ): Promise<Response> {
    const form = given instanceof FormData ? new Response(given) : undefined;
    const body = form ? new Uint8Array(await form.arrayBuffer()) : (given as string | undefined);
    const type = form ? (form.headers.get("content-type") ?? "") : "application/json";
    const headers = {
      authorization: `Bearer ${this.#settings.accessToken}`,
      ...(body !== undefined && { "content-type": type }),
    };
    const url = `${this.address()}${path}`;
    return this.#upstream.fetch({
      url,
      method,
      headers,
      signal,
      timeoutMs: form ? uploadMs : timeoutMs,
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

/** Returns what an answer without success means for the message, and for all others. */
function sentBy({ status, headers }: Response, reason: string): Exclude<Sent, { status: "sent" }> {
  if (refusedAccount.has(status)) return { status: "retry", reason, scope: "channel" };
  if (status < 500 && !again.has(status)) return { status: "refused", reason };
  const seconds = Number(headers.get("retry-after"));
  const isNamed = Number.isFinite(seconds) && seconds > 0;
  return { status: "retry", reason, ...(isNamed && { afterMs: seconds * 1_000 }) };
}

/** The platform's own words, if it has any. */
async function causeOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => "");
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : "no cause given";
  } catch {
    return text.trim() || "no cause given";
  }
}

function digits(number: string): string {
  return number.replace(/^\+/, "");
}

/** The platform refuses a text that ends, or begins, within a surrogate pair. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

function objectOf(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}
