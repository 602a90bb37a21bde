import type { Upstream } from "@gantry/sdk";
import { pause, PlatformFailure, reach, scrubber } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { failureOf } from "./failure.ts";
import { RateLimits, routeOf, type Route } from "./rate-limits.ts";
import { Refusals } from "./refusals.ts";
import { wrongKindOfToken, type Settings } from "./settings.ts";

const timeoutMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;
/** A wait this short is waited here: the parts of a long answer meet one every five messages. */
const patienceMs = 6_000;
/** The platform asks for this form: https://docs.discord.com/developers/reference#user-agent */
const userAgent = "DiscordBot (gantry, 0.1.0)";
/** Hosts of the files that messages name; they are asked without the token. */
const fileHosts = new Set(["cdn.discordapp.com", "media.discordapp.net"]);

export interface RestCall {
  readonly signal: AbortSignal;
  readonly body?: object;
  /** Bytes that go along, each with a name. */
  readonly files?: readonly Blob[];
  readonly names?: readonly string[];
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
  readonly #upstream: Upstream;
  readonly #limits = new RateLimits();
  readonly #refusals = new Refusals();
  readonly #scrub: (text: string) => string;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#upstream = upstream;
    const scrub = scrubber([settings.token]);
    // An interaction's token is part of the address.
    this.#scrub = (text) => scrub(text.replace(/\/(interactions|webhooks)\/(\d+)\/[^/\s]+/g, "/$1/$2/***"));
  }

  /** `path` begins with a slash. Gives what the answer holds; undefined for an empty one. */
  async call<T>(method: string, path: string, { signal, ...given }: RestCall): Promise<T> {
    const route = routeOf(method, path);
    await this.#turn(route, signal);
    return this.#reach(async () => {
      const wrong = wrongKindOfToken(this.#settings.token);
      if (wrong !== undefined) throw errors.DISCORD_BAD_TOKEN(wrong);
      const { body, headers } = await contentOf(given);
      const response = await this.#upstream.fetch({
        url: this.#settings.address() + path,
        method,
        headers: { ...this.#headers(path), ...headers },
        ...(body !== undefined && { body }),
        signal,
        timeoutMs: given.timeoutMs ?? timeoutMs,
        maxBytes: maxAnswerBytes,
      });
      return this.#read<T>(route, response);
    });
  }

  /** The bytes of a file that a message names, from the platform's own hosts alone. */
  download(address: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    return this.#reach(async () => {
      const url = URL.parse(address);
      const own = new URL(this.#settings.address());
      const isFile = url?.protocol === "https:" && fileHosts.has(url.host);
      if (url === null || (!isFile && url.origin !== own.origin))
        throw new PlatformFailure("refused", "The file lies outside of the platform.");
      const response = await this.#upstream.fetch({ url: url.href, signal, timeoutMs, maxBytes });
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body ?? []) pieces.push(piece);
      if (response.status === 200) return Buffer.concat(pieces);
      throw failureOf({ status: response.status, code: undefined, cause: "the file", afterMs: undefined });
    });
  }

  /** Resolves once a call may be made; what would take longer than a moment is said instead. */
  async #turn(route: Route, signal: AbortSignal): Promise<void> {
    this.#refusals.check();
    for (;;) {
      const ms = this.#limits.waitMs(route);
      if (ms <= 0) break;
      if (ms > patienceMs) {
        const cause = "the limit is used up";
        throw failureOf({ status: 429, code: undefined, cause, afterMs: Math.ceil(ms) });
      }
      await pause(ms, signal);
      if (signal.aborted) throw new PlatformFailure("again", "The call was cancelled while it waited.");
    }
    this.#limits.take(route);
  }

  /** An interaction's token in the path is its whole credential. */
  #headers(path: string): Readonly<Record<string, string>> {
    const isInteraction = /^\/(?:interactions|webhooks)\//.test(path);
    return {
      "user-agent": userAgent,
      ...(!isInteraction && { authorization: `Bot ${this.#settings.token}` }),
    };
  }

  async #read<T>(route: Route, response: Response): Promise<T> {
    const { status, headers } = response;
    const answer = parsed(await response.text());
    if (status >= 200 && status < 300 && answer !== null) {
      this.#limits.learn(route, { headers });
      return answer as T;
    }
    const { message, code, retry_after, global } = (answer ?? {}) as Refused;
    const afterMs = status === 429 ? waitOf(retry_after ?? headers.get("retry-after")) : undefined;
    // An answer without a body comes from before the platform, and is about the address.
    const isGlobal = global === true || headers.get("x-ratelimit-scope") === "global" || answer === null;
    this.#limits.learn(route, { headers, isGlobal, ...(afterMs !== undefined && { retryMs: afterMs }) });
    const isShared = status === 429 && headers.get("x-ratelimit-scope") === "shared";
    if ([401, 403, 429].includes(status) && !isShared) this.#refusals.count();
    const cause = this.#scrub(typeof message === "string" ? message : "no cause given");
    throw failureOf({ status, code: typeof code === "number" ? code : undefined, cause, afterMs });
  }

  #reach<T>(work: () => Promise<T>): Promise<T> {
    return reach(work, { scrub: this.#scrub });
  }
}

async function contentOf({ body, files = [], names = [] }: Omit<RestCall, "signal">): Promise<{
  readonly body?: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}> {
  if (body === undefined) return { headers: {} };
  const json = JSON.stringify(body);
  if (files.length === 0) return { body: json, headers: { "content-type": "application/json" } };
  const form = new FormData();
  form.set("payload_json", json);
  for (const [i, file] of files.entries()) form.set(`files[${i}]`, file, names[i] ?? "file");
  const multipart = new Response(form);
  const headers = { "content-type": multipart.headers.get("content-type") ?? "" };
  return { body: new Uint8Array(await multipart.arrayBuffer()), headers };
}

/** Returns null for a text that is not JSON. */
function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Seconds, as a number or as a header has it, in milliseconds. */
function waitOf(seconds: unknown): number {
  const given = Number(seconds);
  return Number.isFinite(given) && given > 0 ? Math.ceil(given * 1_000) : 5_000;
}
