import { errors } from "./errors.ts";

/** What a failed call means for what was to be done. */
export type FailureKind =
  /** The account is refused. */
  | "account"
  /** The platform asked to wait. */
  | "rate"
  /** Too much was refused, so nothing is called for a while. */
  | "paused"
  /** The form of the message was not understood. */
  | "form"
  /** It will never work for this channel. */
  | "refused"
  /** The platform cannot be reached, which is true of every call. */
  | "away"
  /** It may work later. */
  | "again";

/** A call that failed; the message is a sentence without a secret. */
export class DiscordFailure extends Error {
  readonly kind: FailureKind;
  /** Milliseconds. */
  readonly afterMs: number | undefined;

  constructor(kind: FailureKind, sentence: string, afterMs?: number) {
    super(sentence);
    this.kind = kind;
    this.afterMs = afterMs;
  }
}

/** Codes of a message that the platform does not understand: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json */
const formCodes = new Set([50_006, 50_035]);

export interface RefusedAnswer {
  readonly status: number;
  /** The platform's own number for it. */
  readonly code: number | undefined;
  /** In its words, without a secret. */
  readonly cause: string;
  /** Milliseconds: of an answer 429. */
  readonly afterMs: number | undefined;
}

export function failureOf({ status, code, cause, afterMs = 5_000 }: RefusedAnswer): DiscordFailure {
  if (status < 400) return new DiscordFailure("again", errors.DISCORD_UNREADABLE(status).message);
  if (status === 401) return new DiscordFailure("account", errors.DISCORD_API_401(cause).message);
  if (status === 403) return new DiscordFailure("refused", errors.DISCORD_API_403(cause).message);
  if (status === 429) {
    const seconds = Math.ceil(afterMs / 1_000);
    return new DiscordFailure("rate", errors.DISCORD_RATE(cause, seconds).message, afterMs);
  }
  const sentence = errors.DISCORD_API(status, cause).message;
  if (status === 400 && code !== undefined && formCodes.has(code))
    return new DiscordFailure("form", sentence);
  return new DiscordFailure(status >= 500 ? "again" : "refused", sentence);
}
