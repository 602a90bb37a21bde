import { PlatformFailure } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";

/**
 * The platform shuts an address out after 10,000 in ten minutes; a channel that comes this far does
 * something wrong.
 */
const most = 20;
const periodMs = 600_000;

/** Counts answers that the platform holds against the caller (401, 403, 429): https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans */
export class Refusals {
  #times: readonly number[] = [];

  count(): void {
    this.#times = [...this.#recent(), Date.now()];
  }

  /** Throws while there were too many. */
  check(): void {
    const recent = this.#recent();
    if (recent.length < most) return;
    const freeAt = (recent[recent.length - most] as number) + periodMs;
    const ms = Math.max(1, freeAt - Date.now());
    const sentence = errors.DISCORD_REFUSALS(most, Math.ceil(ms / 1_000)).message;
    throw new PlatformFailure("paused", sentence, ms);
  }

  #recent(): readonly number[] {
    const since = Date.now() - periodMs;
    return this.#times.filter((at) => at > since).slice(-most);
  }
}
