import type { Upstream } from "@gantry/sdk";
import { PlatformCalls, PlatformFailure, scrubber, type PlatformAnswer } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { checkTokens, type Settings, type TokenKey } from "./settings.ts";
import { failureOf } from "./web-failure.ts";

/** The wait after a 429 that names no time. */
const unnamedWaitSeconds = 30;
const minSecret = 10;
/** The longest error code of Slack's; a longer word is not a code of its own. */
const maxCode = 120;
const uploadMs = 120_000;

export type Params = Readonly<Record<string, string | number | boolean | object | undefined>>;

export interface CallOptions {
  readonly signal: AbortSignal;
  /** For the whole answer; default 30 s. */
  readonly timeoutMs?: number;
  /** Default: the bot's. */
  readonly token?: TokenKey;
}

interface Answer {
  readonly ok?: unknown;
  readonly error?: unknown;
  readonly needed?: unknown;
}

/** Slack's Web API. Every call throws {@link PlatformFailure}. */
export class WebApi {
  readonly #settings: Settings;
  readonly #calls: PlatformCalls;
  readonly #scrub: (text: string) => string;
  /**
   * When a method may be called again for a channel, Unix ms; limits are for each method, of posts
   * for each channel.
   */
  readonly #waits = new Map<string, number>();

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    // Scrubbing a token too short to be a secret would spoil sentences that name its beginning.
    this.#scrub = scrubber(Object.values(settings.tokens).filter(({ length }) => length > minSecret));
    this.#calls = new PlatformCalls(upstream, { scrub: this.#scrub, refused: ["SLACK_ELSEWHERE"] });
  }

  async call<T>(method: string, params: Params, options: CallOptions): Promise<T> {
    return (await this.ask<T>(method, params, options)).answer;
  }

  /** Makes a call; resolves to its answer and the scopes of the token, which a header names. */
  async ask<T>(
    method: string,
    params: Params,
    { token = "bot_token", ...options }: CallOptions,
  ): Promise<{ readonly answer: T; readonly scopes: readonly string[] }> {
    const about = { method, token, channel: String(params["channel"] ?? "") };
    this.#mayCall(about);
    const make = () => {
      checkTokens(this.#settings.tokens);
      const headers = { authorization: `Bearer ${this.#settings.tokens[token]}` };
      return { url: `${this.#settings.address()}/${method}`, headers, body: formOf(params), ...options };
    };
    return this.#calls.call(make, (answer) => ({
      answer: this.#read<T>(answer, about),
      scopes: (answer.headers.get("x-oauth-scopes") ?? "").split(/[\s,]+/).filter((scope) => scope !== ""),
    }));
  }

  /** Returns the bytes of a file of a message; the token goes nowhere but to Slack. */
  async download(address: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const url = this.own(address);
    const headers = { authorization: `Bearer ${this.#settings.tokens.bot_token}` };
    let refusal: Error | undefined;
    const make = () => ({ url, method: "GET", headers, signal });
    const bytes = await this.#calls.download(make, maxBytes, ({ status, headers: told }) => {
      const isPage = told.get("content-type")?.startsWith("text/html") === true;
      // Slack leads somebody who may not read a file to a page to sign in.
      if (status !== 200 || isPage) refusal = errors.SLACK_FILE(status);
    });
    if (refusal) throw refusal;
    return bytes;
  }

  /** Hands bytes to an address that Slack gave for them; no token goes along. */
  upload(url: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    const headers = { "content-type": "application/octet-stream" };
    const make = () => ({ url: this.own(url), headers, body, signal, timeoutMs: uploadMs });
    return this.#calls.call(make, ({ status }) => {
      const about = { method: "upload", token: "bot_token", channel: "", needed: "" } as const;
      if (status !== 200) throw failureOf({ ...about, status, error: "", afterSeconds: 0 });
    });
  }

  /**
   * An address that Slack named, if it is Slack's own and as safe as slack_url; throws
   * SLACK_ELSEWHERE.
   */
  own(address: string): string {
    const base = new URL(this.#settings.address());
    const url = URL.parse(address);
    const isSecure = url?.protocol === "https:" || url?.protocol === "wss:";
    const isAsSafe = isSecure || (base.protocol === "http:" && url?.host === base.host);
    const isOwn = url?.hostname === base.hostname || url?.hostname.endsWith(`.${base.hostname}`) === true;
    if (!url || !isOwn || !isAsSafe) throw errors.SLACK_ELSEWHERE(url?.host ?? "no address");
    return url.href;
  }

  #read<T>({ status, headers, body }: PlatformAnswer, about: Called): T {
    const { ok, error, needed } = Object(body) as Answer;
    if (ok === true && status < 400) return body as T;
    if (status < 400 && typeof error !== "string")
      throw new PlatformFailure("again", errors.SLACK_UNREADABLE(status).message);
    const said = (word: unknown): string =>
      this.#scrub(typeof word === "string" ? word : "").slice(0, maxCode);
    const afterSeconds = Number(headers.get("retry-after")) || unnamedWaitSeconds;
    const failure = failureOf({ ...about, status, error: said(error), needed: said(needed), afterSeconds });
    if (failure.kind === "rate") this.#waits.set(gateOf(about), Date.now() + afterSeconds * 1_000);
    throw failure;
  }

  /** Throws until the time has come that Slack asked to wait for. */
  #mayCall(about: Called): void {
    const leftMs = (this.#waits.get(gateOf(about)) ?? 0) - Date.now();
    if (leftMs <= 0) return void this.#waits.delete(gateOf(about));
    const sentence = errors.SLACK_RATE("ratelimited", about.method, Math.ceil(leftMs / 1_000)).message;
    throw new PlatformFailure("rate", sentence, leftMs, false, "ratelimited");
  }
}

interface Called {
  readonly method: string;
  readonly token: TokenKey;
  readonly channel: string;
}

function gateOf({ method, channel }: Called): string {
  return `${method} ${channel}`;
}

/** Every method takes a form, some nothing else; an object in it is JSON. */
function formOf(params: Params): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined)
      form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  return form;
}
