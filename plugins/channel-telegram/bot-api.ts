import type { Upstream } from "@gantry/sdk";
import {
  PlatformCalls,
  PlatformFailure,
  scrubber,
  type FailureKind,
  type PlatformAnswer,
} from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { isBotToken, type Settings } from "./settings.ts";

/** The platform's words about a failure. */
export interface Said {
  readonly description?: string;
  readonly afterMs?: number;
  /** The group has this id now. */
  readonly movedTo?: number;
  /** Another program, or a webhook, takes the updates. */
  readonly isTaken?: boolean;
}

/** A call that failed; the message is a sentence without a secret. */
export class BotApiFailure extends PlatformFailure {
  readonly said: Said;

  constructor(kind: FailureKind, sentence: string, said: Said = {}, unsure: boolean = false) {
    super(kind, sentence, said.afterMs, unsure);
    this.said = said;
  }
}

interface Answer {
  readonly ok?: unknown;
  readonly result?: unknown;
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown };
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** For the whole answer; default 30 s. */
  readonly timeoutMs?: number;
}

/** The platform's Bot API. Every call throws {@link PlatformFailure}. */
export class BotApi {
  readonly #settings: Settings;
  readonly #calls: PlatformCalls;
  readonly #scrub: (text: string) => string;

  constructor(settings: Settings, upstream: Upstream) {
    this.#settings = settings;
    const scrub = scrubber([settings.token]);
    // The token is part of the address, and an address in an error may be cut in its midst.
    this.#scrub = (text) => scrub(text).replace(/\/bot[^/\s]+/g, "/bot***");
    this.#calls = new PlatformCalls(upstream, { scrub: this.#scrub });
  }

  /** The number of the bot, which its token begins with. */
  get botId(): string {
    return this.#settings.token.split(":", 1)[0] as string;
  }

  call<T>(method: string, body: object, options: CallOptions): Promise<T> {
    return this.#calls.call(
      () => ({ url: this.#url("bot", method), body, ...options }),
      (answer) => this.#read<T>(answer),
    );
  }

  /** Returns the bytes of a file that a message names. */
  async download(fileId: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    const { file_path } = await this.call<{ file_path?: string }>("getFile", { file_id: fileId }, { signal });
    if (typeof file_path !== "string") throw new BotApiFailure("refused", "The platform gives no file.");
    const path = file_path.split("/").map(encodeURIComponent).join("/");
    const make = () => ({ url: this.#url("file/bot", path), method: "GET", signal });
    return this.#calls.download(make, maxBytes, ({ status }) => {
      if (status !== 200) throw this.#failure(status, {});
    });
  }

  #url(kind: "bot" | "file/bot", path: string): string {
    const { token } = this.#settings;
    if (!isBotToken(token)) throw errors.TELEGRAM_BAD_TOKEN();
    return `${this.#settings.address()}/${kind}${token}/${path}`;
  }

  #read<T>({ status, body }: PlatformAnswer): T {
    const answer = (body ?? {}) as Answer;
    if (answer.ok === true) return answer.result as T;
    throw this.#failure(status, answer);
  }

  #failure(status: number, { error_code, description, parameters }: Answer): BotApiFailure {
    if (typeof error_code !== "number" && status < 400)
      return new BotApiFailure("again", errors.TELEGRAM_UNREADABLE(status).message, {}, true);
    const code = typeof error_code === "number" ? error_code : status;
    const cause = this.#scrub(typeof description === "string" ? description : "no cause given");
    return failureOf(code, cause, parameters ?? {});
  }
}

function failureOf(
  code: number,
  cause: string,
  { retry_after, migrate_to_chat_id }: NonNullable<Answer["parameters"]>,
): BotApiFailure {
  const about = { description: cause };
  if (code === 401 || code === 404)
    return new BotApiFailure("account", errors.TELEGRAM_API_401(code, cause).message, about);
  if (code === 403) return new BotApiFailure("refused", errors.TELEGRAM_API_403(cause).message, about);
  if (code === 409) {
    const sentence = errors.TELEGRAM_TWO_PROGRAMS(cause).message;
    return new BotApiFailure("again", sentence, { ...about, isTaken: true });
  }
  if (code === 429) {
    const seconds = typeof retry_after === "number" && retry_after > 0 ? retry_after : 5;
    return new BotApiFailure("rate", errors.TELEGRAM_RATE(cause, seconds).message, {
      ...about,
      afterMs: seconds * 1_000,
    });
  }
  const sentence = errors.TELEGRAM_API(code, cause).message;
  if (typeof migrate_to_chat_id === "number")
    return new BotApiFailure("refused", sentence, { ...about, movedTo: migrate_to_chat_id });
  if (code === 400 && /entit/i.test(cause)) return new BotApiFailure("form", sentence, about);
  return new BotApiFailure(code >= 500 ? "again" : "refused", sentence, about);
}
