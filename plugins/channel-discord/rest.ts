import type { Upstream } from "@gantry/sdk";
import { pause, PlatformCalls, PlatformFailure, scrubber, type PlatformAnswer } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { Limits, routeOf, type Route } from "./limits.ts";
import { wrongKindOfToken, type Settings } from "./settings.ts";

/** A wait this short is waited here: the parts of a long answer meet one every five messages. */
const patienceMs = 6_000;
/** The platform asks for this form: https://docs.discord.com/developers/reference#user-agent */
const userAgent = "DiscordBot (gantry, 0.1.0)";
/** Hosts of the files that messages name; they are asked without the token. */
const fileHosts = new Set(["cdn.discordapp.com", "media.discordapp.net"]);
/** Codes of a message that the platform does not understand: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const formCodes = new Set<unknown>([50_006, 50_035]);

export interface RestCall {
  readonly signal: AbortSignal;
  readonly body?: object;
  /** A file that goes along. */
  readonly file?: File;
  /** For the whole answer; default 30 s. */
  readonly timeoutMs?: number;
}

interface Refused {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly retry_after?: unknown;
  readonly global?: unknown;
}

/** The platform's REST API, within its limits. Every call throws {@link PlatformFailure}. */
export class Rest {
  readonly #settings: Settings;
  readonly #calls: PlatformCalls;
  readonly #limits = new Limits();
  readonly #scrub: (text: string) => string;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    const scrub = scrubber([settings.token]);
    // An interaction's token is part of the address.
    this.#scrub = (text) => scrub(text.replace(/\/(interactions|webhooks)\/(\d+)\/[^/\s]+/g, "/$1/$2/***"));
    this.#calls = new PlatformCalls(upstream, { scrub: this.#scrub });
  }

  /** Returns the content of the answer, undefined if it is empty. `path` begins with a slash. */
  async call<T>(method: string, path: string, { body, file, ...options }: RestCall): Promise<T> {
    const route = routeOf(method, path);
    await this.#turn(route, options.signal);
    const content = file ? formOf(body, file) : body;
    const make = () => ({
      url: this.#url(path),
      method,
      headers: this.#headers(path),
      ...(content && { body: content }),
      ...options,
    });
    return this.#calls.call(make, (answer) => this.#read<T>(route, answer));
  }

  /** Returns the bytes of a file that a message names, from the platform's own hosts alone. */
  download(address: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const make = () => {
      const url = URL.parse(address);
      const isFile = url?.protocol === "https:" && fileHosts.has(url.host);
      if (url === null || (!isFile && url.origin !== new URL(this.#settings.address()).origin))
        throw new PlatformFailure("refused", "The file lies outside of the platform.");
      return { url: url.href, method: "GET", signal };
    };
    return this.#calls.download(make, maxBytes, ({ status }) => {
      if (status !== 200) throw failureOf(status, "the file");
    });
  }

  /** Resolves once a call may be made; what would take longer than a moment is said instead. */
  async #turn(route: Route, signal: AbortSignal): Promise<void> {
    for (let ms = this.#limits.waitMs(route); ms > 0; ms = this.#limits.waitMs(route)) {
      if (ms > patienceMs) throw failureOf(429, "the limit is used up", Math.ceil(ms));
      await pause(ms, signal);
      if (signal.aborted) throw new PlatformFailure("again", "The call was cancelled while it waited.");
    }
  }

  #url(path: string): string {
    const wrong = wrongKindOfToken(this.#settings.token);
    if (wrong !== undefined) throw errors.DISCORD_BAD_TOKEN(wrong);
    return this.#settings.address() + path;
  }

  /** An interaction's token in the path is its whole credential. */
  #headers(path: string): Readonly<Record<string, string>> {
    const isInteraction = /^\/(?:interactions|webhooks)\//.test(path);
    return {
      "user-agent": userAgent,
      ...(!isInteraction && { authorization: `Bot ${this.#settings.token}` }),
    };
  }

  #read<T>(route: Route, { status, headers, body }: PlatformAnswer): T {
    const { message, code, retry_after, global } = Object(body) as Refused;
    const afterMs = status === 429 ? waitOf(retry_after ?? headers.get("retry-after")) : undefined;
    const scope = headers.get("x-ratelimit-scope");
    // An answer without a body comes from before the platform, and is about the address.
    this.#limits.learn(route, headers, afterMs, global === true || scope === "global" || body === null);
    if (status >= 200 && status < 300 && body !== null) return body as T;
    if ([401, 403, 429].includes(status) && (afterMs === undefined || scope !== "shared"))
      this.#limits.refused();
    const cause = this.#scrub(typeof message === "string" ? message : "no cause given");
    throw failureOf(status, cause, afterMs, formCodes.has(code));
  }
}

function formOf(body: object | undefined, file: File): FormData {
  const form = new FormData();
  form.set("payload_json", JSON.stringify(body));
  form.set("files[0]", file);
  return form;
}

/** Returns what a refusal means; `isForm` if the platform did not understand the message. */
function failureOf(status: number, cause: string, afterMs?: number, isForm?: boolean): PlatformFailure {
  if (status < 400) return new PlatformFailure("again", errors.DISCORD_UNREADABLE(status).message);
  if (status === 401) return new PlatformFailure("account", errors.DISCORD_API_401(cause).message);
  if (status === 403) return new PlatformFailure("refused", errors.DISCORD_API_403(cause).message);
  if (afterMs !== undefined) {
    const seconds = Math.ceil(afterMs / 1_000);
    return new PlatformFailure("rate", errors.DISCORD_RATE(cause, seconds).message, afterMs);
  }
  const sentence = errors.DISCORD_API(status, cause).message;
  if (status === 400 && isForm === true) return new PlatformFailure("form", sentence);
  return new PlatformFailure(status >= 500 ? "again" : "refused", sentence);
}

/** Returns milliseconds for seconds, as a number or as a header has them. */
function waitOf(seconds: unknown): number {
  const given = Number(seconds);
  return Number.isFinite(given) && given > 0 ? Math.ceil(given * 1_000) : 5_000;
}
