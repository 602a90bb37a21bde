import type { GantryError, Upstream } from "@gantry/sdk";
import {
  PlatformCalls,
  platformAddress,
  PlatformFailure,
  type FailureKind,
  type PlatformAnswer,
} from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { scrub } from "./scrub.ts";
import type { Settings } from "./settings.ts";

const uploadMs = 120_000;

/** The platform's API. Every call throws {@link PlatformFailure}. */
export class Graph {
  readonly #settings: Settings;
  readonly #calls: PlatformCalls;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#calls = new PlatformCalls(upstream, { scrub: (text) => scrub(text, settings) });
  }

  /** Sends one message of the given type; resolves to its id, if the platform tells one. */
  async send(to: string, message: object, signal: AbortSignal): Promise<string> {
    const recipient = { recipient_type: "individual", to: to.replace(/^\+/, "") };
    const body = { messaging_product: "whatsapp", ...recipient, ...message };
    const { messages } = await this.#call<{ messages?: readonly { id?: unknown }[] }>(
      "/messages",
      body,
      signal,
    );
    return String(messages?.[0]?.id ?? "");
  }

  /** Brings a file to the platform; resolves to its id there. */
  async upload(
    bytes: Uint8Array,
    { mime, name }: { readonly mime: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<string> {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", mime);
    form.set("file", new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mime }), name);
    const sent = this.#call<{ id?: unknown }>("/media", form, signal);
    const { id } = await sent.catch(({ kind, message, afterMs }: PlatformFailure) => {
      // A file that came twice is seen by nobody.
      throw new PlatformFailure(kind, message, afterMs);
    });
    if (typeof id !== "string") throw new PlatformFailure("refused", errors.CHATAPP_NO_FILE().message);
    return id;
  }

  /** Marks a message as read and shows typing for up to 25 s. */
  async working(message_id: string, signal: AbortSignal): Promise<void> {
    const read = { messaging_product: "whatsapp", status: "read", message_id };
    await this.#call("/messages", { ...read, typing_indicator: { type: "text" } }, signal);
  }

  /** Asks for the phone number. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#call("", undefined, signal);
  }

  /**
   * Throws CHANNEL_INSECURE_URL for what is neither https nor, if that is allowed, this machine.
   */
  address(): string {
    const { graphUrl, phoneNumberId, allowInsecureLoopback } = this.#settings;
    const base = platformAddress("endpoints.graph_url", graphUrl, allowInsecureLoopback);
    return `${base}/v18.0/${encodeURIComponent(phoneNumberId)}`;
  }

  #call<T>(path: string, body: object | undefined, signal: AbortSignal): Promise<T> {
    const headers = { authorization: `Bearer ${this.#settings.accessToken}` };
    const request = body === undefined ? { method: "GET" } : { body };
    const timeout = body instanceof FormData ? { timeoutMs: uploadMs } : {};
    const make = () => ({ url: `${this.address()}${path}`, headers, signal, ...request, ...timeout });
    return this.#calls.call(make, (answer) => this.#read<T>(answer));
  }

  #read<T>({ status, headers, body }: PlatformAnswer): T {
    const answer = Object(body) as { readonly error?: { readonly message?: unknown } };
    if (status >= 200 && status < 300) return answer as T;
    const said = answer.error?.message;
    const cause = scrub(typeof said === "string" ? said : "no cause given", this.#settings);
    const seconds = Number(headers.get("retry-after"));
    const afterMs = seconds > 0 ? seconds * 1_000 : undefined;
    throw new PlatformFailure(kindOf(status), sentenceOf(status, cause).message, afterMs);
  }
}

/** Returns the meaning of an answer without success. */
function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return "account";
  return status >= 500 || [408, 425, 429].includes(status) ? "again" : "refused";
}

function sentenceOf(status: number, cause: string): GantryError {
  if (status === 401) return errors.CHATAPP_API_401(cause);
  if (status === 403) return errors.CHATAPP_API_403(cause);
  return errors.CHATAPP_API(status, cause);
}
