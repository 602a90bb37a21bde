import {
  pause,
  troubleOf,
  type ChannelHealth,
  type ChatHost,
  type ConnectionOptions,
  type Trouble,
} from "@gantry/sdk/channel";
import { BotApiFailure } from "./bot-api.ts";
import { errors } from "./errors.ts";
import type { Me } from "./read-message.ts";
import { Updates, type UpdateNeeds } from "./updates.ts";
import type { WireUpdate, WireUser, WireWebhook } from "./wire.ts";

/** How long the platform holds a poll open while nothing is new. */
const pollSeconds = 20;
/** A poll that is held so long is a dead connection: people are told of one after 30 s. */
const pollMs = (pollSeconds + 10) * 1_000;
/** Pictures of an album come so far apart at most, however many they are; an album has ten. */
const albumMs = 700;
const mostLooks = 10;
const space = "telegram.offset";
/**
 * After a week without any update the platform numbers anew, perhaps lower, and an old offset would hide all of them; it
 * keeps nothing longer than a day, so an offset older than this confirms nothing anyway.
 */
const offsetLifeMs = 2 * 86_400_000;
/** Two programs take turns at being refused; so often at least they leave each other time. */
const conflictMs = 5_000;

interface Offset {
  readonly next: number;
  readonly at: number;
}

export type PollerNeeds = UpdateNeeds & Pick<ChatHost, "health" | "values">;

/** Fetches updates by long polling; the platform is told to forget them only once the inbox has them on disk. */
export class Poller implements ConnectionOptions {
  readonly #needs: PollerNeeds;
  readonly #updates: Updates;
  readonly health: ChannelHealth;
  readonly watchdogMs: number = pollMs + 60_000;
  /** When the platform last answered, or the connection began, by `performance.now()`. */
  #heardAt = 0;

  constructor(needs: PollerNeeds) {
    this.#needs = needs;
    this.#updates = new Updates(needs);
    this.health = needs.health;
  }

  /** One connection, until something fails. */
  async run(signal: AbortSignal, alive: () => void): Promise<void> {
    const { api, health } = this.#needs;
    this.#heardAt = performance.now();
    const me = await this.#whoAmI(signal);
    let offset = await this.#kept();
    // The first one is not held, so that whether it works is known at once.
    let seconds = 0;
    while (!signal.aborted) {
      this.#heardAt = performance.now();
      const updates = await this.#withAlbums(await this.#poll(offset, seconds, signal), offset, signal);
      seconds = pollSeconds;
      alive();
      if (updates.length === 0) {
        health.up();
        offset = isFresh(offset) ? offset : undefined;
        continue;
      }
      health.event();
      await this.#updates.take(updates, me, signal);
      offset = { next: Math.max(...updates.map(({ update_id }) => update_id)) + 1, at: Date.now() };
      await this.#needs.values().put(space, api.botId, offset);
    }
  }

  judge(error: unknown): Trouble {
    if (isTaken(error)) return { reason: error.message, leastMs: conflictMs };
    const unheardMs = performance.now() - this.#heardAt;
    return { ...troubleOf(error), ...(unheardMs >= pollMs && { unheardMs }) };
  }

  async #whoAmI(signal: AbortSignal): Promise<Me> {
    const { id, username = "" } = await this.#needs.api.call<WireUser>("getMe", {}, { signal });
    return { id, username };
  }

  /**
   * A held poll returns with the first picture of an album: it is asked for again, and not confirmed before, until no more
   * pictures come with it.
   */
  async #withAlbums(
    updates: readonly WireUpdate[],
    offset: Offset | undefined,
    signal: AbortSignal,
  ): Promise<readonly WireUpdate[]> {
    let all = updates;
    for (let look = 0; look < mostLooks && albumSize(all) > 0; look += 1) {
      await pause(albumMs, signal);
      if (signal.aborted) return [];
      const more = await this.#poll(offset, 0, signal);
      const isWhole = albumSize(more) <= albumSize(all);
      all = more;
      if (isWhole) break;
    }
    return all;
  }

  async #poll(
    offset: Offset | undefined,
    timeout: number,
    signal: AbortSignal,
  ): Promise<readonly WireUpdate[]> {
    const { api } = this.#needs;
    const body = {
      timeout,
      allowed_updates: ["message", "callback_query"],
      ...(offset !== undefined && { offset: offset.next }),
    };
    try {
      const updates = await api.call<unknown>("getUpdates", body, { signal, timeoutMs: pollMs });
      return Array.isArray(updates) ? updates.filter(isUpdate) : [];
    } catch (error) {
      throw isTaken(error) ? await this.#cause(error, signal) : error;
    }
  }

  /** Which of the two it is that takes the updates away. */
  async #cause(conflict: BotApiFailure, signal: AbortSignal): Promise<BotApiFailure> {
    const set = await this.#needs.api
      .call<WireWebhook>("getWebhookInfo", {}, { signal })
      .catch((): WireWebhook => ({}));
    if (!set.url) return conflict;
    const host = URL.parse(set.url)?.host ?? "an address of its own";
    const sentence = errors.TELEGRAM_WEBHOOK(conflict.said.description ?? "", host).message;
    return new BotApiFailure("again", sentence, { isTaken: true });
  }

  async #kept(): Promise<Offset | undefined> {
    const { api } = this.#needs;
    const kept = await this.#needs.values().get<Offset>(space, api.botId);
    return isFresh(kept) ? kept : undefined;
  }
}

/** Returns how many updates belong to albums. */
function albumSize(updates: readonly WireUpdate[]): number {
  return updates.filter(({ message }) => message?.media_group_id !== undefined).length;
}

function isFresh(offset: Offset | undefined): boolean {
  return offset !== undefined && Date.now() - offset.at < offsetLifeMs;
}

function isUpdate(update: unknown): update is WireUpdate {
  return Number.isSafeInteger((update as WireUpdate | null)?.update_id);
}

/** True where another program, or a webhook, takes the updates. */
function isTaken(error: unknown): error is BotApiFailure {
  return error instanceof BotApiFailure && error.said.isTaken === true;
}
