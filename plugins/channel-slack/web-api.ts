import type { Upstream } from "@gantry/sdk";
import { reach, scrubber } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { checkTokens, type Settings, type TokenKey } from "./settings.ts";
import { failureOf, SlackFailure } from "./web-failure.ts";

const timeoutMs = 30_000;
const maxAnswerBytes = 8 * 1024 * 1024;
/** The wait after a 429 that names no time. */
const unnamedWaitSeconds = 30;
const minSecret = 10;
/** The longest error code of Slack's; a longer word is not a code of its own. */
const maxCode = 120;

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
  readonly #upstream: Upstream;
  readonly #scrub: (text: string) => string;
  /**
   * When a method may be called again for a channel, Unix ms; limits are for each method, of posts
   * for each channel.
   */
  readonly #waits = new Map<string, number>();

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    this.#upstream = upstream;
    // Scrubbing a token too short to be a secret would spoil sentences that name its beginning.
    this.#scrub = scrubber(Object.values(settings.tokens).filter(({ length }) => length > minSecret));
  }

  async call<T>(method: string, params: Params, options: CallOptions): Promise<T> {
    return (await this.ask<T>(method, params, options)).answer;
  }

  /** The same with the names of the token's scopes, which Slack tells in a header. */
  async ask<T>(
    method: string,
    params: Params,
    options: CallOptions,
  ): Promise<{ readonly answer: T; readonly scopes: readonly string[] }> {
    const { signal, timeoutMs: answerMs = timeoutMs, token = "bot_token" } = options;
    const channel = String(params["channel"] ?? "");
    const gate = `${method} ${channel}`;
    this.#mayCall(method, gate);
    return this.#reach(async () => {
      checkTokens(this.#settings.tokens);
      const response = await this.#upstream.fetch({
        url: `${this.#settings.address()}/${method}`,
        method: "POST",
        headers: {
          "content-type": "application/x-www-form-urlencoded; charset=utf-8",
          authorization: `Bearer ${this.#settings.tokens[token]}`,
        },
        body: formOf(params),
        signal,
        timeoutMs: answerMs,
        maxBytes: maxAnswerBytes,
      });
      const scopes = (response.headers.get("x-oauth-scopes") ?? "").split(",").map((scope) => scope.trim());
      const answer = await this.#read(response, { method, token, channel, gate });
      return { answer: answer as T, scopes: scopes.filter((scope) => scope !== "") };
    });
  }

  /** The bytes of a file of a message; the token goes nowhere but to Slack. Throws coded errors. */
  async download(url: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const headers = { authorization: `Bearer ${this.#settings.tokens.bot_token}` };
    const request = { url: this.own(url), headers, signal, timeoutMs, maxBytes };
    const response = await this.#upstream.fetch(request);
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body ?? []) pieces.push(piece);
    const isPage = response.headers.get("content-type")?.startsWith("text/html") === true;
    // Slack leads somebody who may not read a file to a page to sign in.
    if (response.status !== 200 || isPage) throw errors.SLACK_FILE(response.status);
    return new Uint8Array(Buffer.concat(pieces));
  }

  /** Hands bytes to an address that Slack gave for them; no token goes along. */
  upload(url: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#reach(async () => {
      const headers = { "content-type": "application/octet-stream" };
      const request = {
        url: this.own(url),
        method: "POST",
        headers,
        body: bytes,
        signal,
        timeoutMs: 120_000,
      };
      const { status } = await this.#upstream.fetch(request);
      const refused = {
        method: "upload",
        token: "bot_token",
        needed: "",
        channel: "",
        afterSeconds: 0,
      } as const;
      if (status !== 200) throw failureOf({ ...refused, status, error: "" });
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

  async #read(
    response: Response,
    { method, token, channel, gate }: Record<"method" | "channel" | "gate", string> & { token: TokenKey },
  ): Promise<unknown> {
    const { status, headers } = response;
    const text = await response.text();
    let answer: Answer | undefined;
    try {
      answer = JSON.parse(text) as Answer;
    } catch {
      answer = undefined;
    }
    if (answer?.ok === true && status < 400) return answer;
    if (status < 400 && typeof answer?.error !== "string")
      throw new SlackFailure("again", errors.SLACK_UNREADABLE(status).message);
    const said = (word: unknown): string =>
      this.#scrub(typeof word === "string" ? word : "").slice(0, maxCode);
    const afterSeconds = Number(headers.get("retry-after")) || unnamedWaitSeconds;
    const failure = failureOf({
      method,
      token,
      status,
      error: said(answer?.error),
      needed: said(answer?.needed),
      channel,
      afterSeconds,
    });
    if (failure.kind === "rate") this.#waits.set(gate, Date.now() + afterSeconds * 1_000);
    throw failure;
  }

  /** Throws until the time has come that Slack asked to wait for. */
  #mayCall(method: string, gate: string): void {
    const leftMs = (this.#waits.get(gate) ?? 0) - Date.now();
    if (leftMs <= 0) return void this.#waits.delete(gate);
    const sentence = errors.SLACK_RATE("ratelimited", method, Math.ceil(leftMs / 1_000)).message;
    throw new SlackFailure("rate", sentence, "ratelimited", leftMs);
  }

  #reach<T>(work: () => Promise<T>): Promise<T> {
    return reach(work, { scrub: this.#scrub, refused: ["SLACK_ELSEWHERE"] });
  }
}

/** Every method takes a form, some nothing else; an object in it is JSON. */
function formOf(params: Params): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined)
      form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  return form.toString();
}
