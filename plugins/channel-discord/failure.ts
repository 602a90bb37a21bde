import { PlatformFailure } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";

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

export function failureOf({ status, code, cause, afterMs = 5_000 }: RefusedAnswer): PlatformFailure {
  if (status < 400) return new PlatformFailure("again", errors.DISCORD_UNREADABLE(status).message);
  if (status === 401) return new PlatformFailure("account", errors.DISCORD_API_401(cause).message);
  if (status === 403) return new PlatformFailure("refused", errors.DISCORD_API_403(cause).message);
  if (status === 429) {
    const seconds = Math.ceil(afterMs / 1_000);
    return new PlatformFailure("rate", errors.DISCORD_RATE(cause, seconds).message, afterMs);
  }
  const sentence = errors.DISCORD_API(status, cause).message;
  if (status === 400 && code !== undefined && formCodes.has(code))
    return new PlatformFailure("form", sentence);
  return new PlatformFailure(status >= 500 ? "again" : "refused", sentence);
}
