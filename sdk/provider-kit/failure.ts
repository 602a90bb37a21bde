import { errors } from "../contract/codes.ts";
import { failed, GantryError } from "../contract/errors.ts";
import { overflowOf } from "./overflow.ts";
import { causedBy, type ProviderFailure } from "../models/provider.ts";

const MAY_PASS = new Set([
  "PROVIDER_TIMEOUT",
  "PROVIDER_MALFORMED",
  "PROVIDER_EMPTY",
  "PROVIDER_REFUSED",
  "PROVIDER_SERVER",
  "NO_DESCRIPTORS",
]);
const NO_REASON = "it gave no reason";
/**
 * A shorter secret may be an ordinary word: taken out wherever it stands, it would spoil the
 * sentence and tell itself.
 */
const SHORTEST_SECRET = 8;
const LONGEST_READ = 4_000;
const LONGEST_EXCERPT = 200;
const TAGS = /<(?:style|script)[\s\S]*?<\/(?:style|script)>|<[^<>]*>/gi;
const CREDENTIALS =
  /\b(?:Bearer\s+\S+|sk-[\w-]{8,}|ya29\.[\w.-]+|AIza[\w-]{10,}|(?:api[_-]?)?key[=:]\s*[^\s&"',]+)/gi;

/**
 * Statuses with which servers refuse a conversation that is too long; some have no better one than
 * 500.
 */
const REFUSES_LENGTH: ReadonlySet<number> = new Set([400, 413, 422, 500]);

/** An answer that is not a success. */
export interface FailedAnswer {
  /** The provider, as it is named to people. */
  readonly provider: string;
  readonly model: string | undefined;
  readonly status: number;
  /** The server's words, or the beginning of them. */
  readonly body: string;
  /** The `Retry-After` header: seconds or a date. */
  readonly retryAfter?: string | null | undefined;
  /** Credentials that were sent and must not come back in a sentence. */
  readonly secrets?: readonly string[];
  /** Why a configured key was not sent: `withheld` of a {@link ConfiguredKey}. */
  readonly withheld?: string | undefined;
}

/** Returns why an HTTP answer failed: one sentence with the check to make. */
export function answerFailure(answer: FailedAnswer): ProviderFailure {
  const { status, provider } = answer;
  const wait = readRetryAfter(answer.retryAfter);
  const facts = { status, ...(wait !== undefined && { retryAfterMs: wait }) };
  const said = excerpt(answer.body, answer.secrets);
  const quoted = said === NO_REASON ? "" : `; it says: ${said.replace(/\.$/, "")}`;
  const keyless = answer.withheld === undefined ? "" : `; ${answer.withheld}`;
  if (status === 401) return failure(errors.PROVIDER_AUTH(provider, keyless + quoted), true, facts);
  if (status === 403) return failure(errors.PROVIDER_FORBIDDEN(provider, keyless + quoted), true, facts);
  const tooLong = REFUSES_LENGTH.has(status) ? overflowOf(answer.body) : undefined;
  if (tooLong || status === 413) {
    const error = errors.PROVIDER_OVERFLOW(provider, status, said.replace(/\.$/, ""));
    const window = tooLong?.window;
    return failure(error, false, window === undefined ? facts : { ...facts, contextWindow: window });
  }
  if (status === 404)
    return failure(
      errors.PROVIDER_MODEL_UNKNOWN(provider, answer.model ?? "the default model", said),
      true,
      facts,
    );
  if (status === 429) {
    const seconds = wait === undefined ? "" : ` ${Math.ceil(wait / 1000)} s`;
    return failure(errors.PROVIDER_RATE_LIMIT(provider, seconds, quoted), true, facts);
  }
  if (status >= 500 || status === 408 || status === 425)
    return failure(errors.PROVIDER_SERVER(provider, status, quoted), true, facts);
  return failure(errors.PROVIDER_REQUEST(provider, status, said), false, facts);
}

/** Words that servers use for a kind of error, and the status they mean. */
const statusWords: readonly (readonly [RegExp, number])[] = [
  [/invalid_api_key|authentication|unauthori[sz]ed|unauthenticated/i, 401],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/rate_limit|insufficient_quota|too_many|exhausted/i, 429],
  [/server_error|internal|overloaded|unavailable|api_error/i, 500],
];

/**
 * Returns why an answer failed that began well: `error` is what the server sent in place of more.
 */
export function failureInside(
  answer: Omit<FailedAnswer, "status" | "body">,
  error: unknown,
): ProviderFailure {
  const { code, type, status } = (typeof error === "object" && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const words = [code, type, status].filter((word) => typeof word === "string").join(" ");
  const number = [code, status].map(Number).find((value) => value >= 400 && value < 600);
  const meant = number ?? statusWords.find(([word]) => word.test(words))?.[1] ?? 400;
  return answerFailure({ ...answer, status: meant, body: JSON.stringify({ error }) });
}

/** A failure to throw when there is no stream to end. */
export class ProviderError extends GantryError {
  readonly failure: ProviderFailure;

  static override [Symbol.hasInstance](value: unknown): value is ProviderError {
    return GantryError[Symbol.hasInstance](value) && "failure" in value;
  }

  constructor(why: ProviderFailure) {
    super(why.code, failed("%s"), [why.message]);
    this.failure = why;
  }
}

/**
 * Returns why a request failed that was thrown out of: a coded error, an abort, or anything else.
 * `seconds` is the time limit.
 */
export function thrownFailure(
  provider: string,
  error: unknown,
  signal: AbortSignal,
  seconds: number,
): ProviderFailure {
  if (error instanceof ProviderError && !signal.aborted) return error.failure;
  return causedBy(toldOf(provider, error, signal, seconds), error);
}

function toldOf(provider: string, error: unknown, signal: AbortSignal, seconds: number): ProviderFailure {
  if (signal.aborted) return failure(errors.PROVIDER_CANCELLED(provider), false);
  if (!(error instanceof GantryError)) {
    const { code } = (error ?? {}) as { code?: unknown };
    if (code === "EMFILE" || code === "ENFILE") return failure(errors.NO_DESCRIPTORS(provider, code), true);
    // An unknown error may quote what was sent, so only its kind is told.
    return failure(
      errors.PROVIDER_MALFORMED(provider, error instanceof Error ? error.name : typeof error),
      true,
    );
  }
  const { code, message } = error;
  if (code === "NET_CANCELLED") return failure(errors.PROVIDER_CANCELLED(provider), false);
  if (code === "NET_TIMEOUT") return failure(errors.PROVIDER_TIMEOUT(provider, seconds), true);
  if (code === "NET_TOO_LARGE") {
    return failure(
      errors.PROVIDER_TOO_LARGE(provider, /more than (\d+)/.exec(message)?.[1] ?? "the allowed"),
      false,
    );
  }
  if (!code.startsWith("NET_")) return failure(error, MAY_PASS.has(code));
  const [, where = "", why = message] = /^(.*?) cannot be reached: (.*)$/s.exec(message) ?? [];
  const named = where === "" || provider.includes(where) ? provider : `${provider} at ${where}`;
  return failure(errors.PROVIDER_REFUSED(named, excerpt(why.replace(/\.$/, ""))), true);
}

/** Returns an error of the table as the last event of a stream. */
export function failure(
  error: GantryError,
  retry: boolean,
  facts: Pick<ProviderFailure, "status" | "retryAfterMs" | "contextWindow"> = {},
): ProviderFailure {
  return causedBy({ code: error.code, message: error.message, retry, ...facts }, error);
}

/**
 * Returns a server's words, short enough for a sentence: its own message if it sent JSON, no
 * credential, no control characters.
 */
export function excerpt(body: string, secrets: readonly string[] = []): string {
  let text = messageOf(body) ?? body;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET)
      text = text.replaceAll(secret, "***").replaceAll(encodeURIComponent(secret), "***");
  }
  text = text
    .slice(0, LONGEST_READ)
    .replace(CREDENTIALS, "***")
    .replace(TAGS, " ")
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  if (text === "") return NO_REASON;
  return text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT).trimEnd()}…` : text;
}

/**
 * Messages of servers stand in `error.message`, `error`, `message`, `detail`, or in the first
 * object of a list.
 */
function messageOf(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (let depth = 0; depth < 4; depth++) {
    if (typeof value === "string") return value;
    if (Array.isArray(value)) value = value[0];
    if (typeof value !== "object" || value === null) return undefined;
    const { error, message, detail } = value as Record<string, unknown>;
    value = message ?? error ?? detail;
  }
  return undefined;
}

/** Clients are told the wait, and must not be sent away for years by one answer. */
const mostWaitMs = 3_600_000;

function readRetryAfter(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.min(mostWaitMs, Math.max(0, Math.round(wait))) : undefined;
}
