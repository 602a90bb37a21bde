import { textParts, type Logger, type Part } from "@gantry/sdk";
import type { SlackMessage } from "./read-message.ts";
import { readMrkdwn } from "./read-mrkdwn.ts";
import type { Params, WebApi } from "./web-api.ts";
import { codeOf } from "./web-failure.ts";
import type { WireMessage } from "./wire.ts";

/** Neither may keep a message from being acknowledged in time. */
const askMs = 1_500;
const nameLifeMs = 86_400_000;
/** Somebody of whom nothing was told is asked about again. */
const againMs = 600_000;
const maxNames = 10_000;
const maxName = 80;
/** The messages read of a thread when the app is asked in it for the first time. */
const maxMessages = 50;
const maxQuoted = 8_192;

interface WireUser {
  readonly name?: string;
  readonly real_name?: string;
  readonly profile?: { readonly display_name?: string };
}

/**
 * Looks up what an event does not tell: who a person is, and what stands in a thread before it.
 * Never throws; less is told then.
 */
export class Surroundings {
  readonly #api: WebApi;
  readonly #log: Logger;
  readonly #names = new Map<string, { readonly name: string | undefined; readonly until: number }>();
  #mayAsk = true;

  constructor(api: WebApi, log: Logger) {
    this.#api = api;
    this.#log = log;
  }

  /** Returns undefined if Slack does not tell. */
  async nameOf(user: string, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#names.get(user);
    if (known !== undefined && Date.now() < known.until) return known.name;
    const told = await this.#ask<{ user: WireUser }>("users.info", { user }, signal);
    const { name, real_name, profile } = told?.user ?? {};
    const best = [profile?.display_name, real_name, name].find(
      (one) => typeof one === "string" && one.trim() !== "",
    );
    const clean = best
      ?.replace(/[\s\p{C}]+/gu, " ")
      .trim()
      .slice(0, maxName);
    if (this.#names.size >= maxNames) this.#names.clear();
    const found = clean ?? known?.name;
    this.#names.set(user, { name: found, until: Date.now() + (clean === undefined ? againMs : nameLifeMs) });
    return found;
  }

  async threadBefore({ replyTo, ts }: SlackMessage, signal: AbortSignal): Promise<readonly Part[]> {
    const { channel, thread } = replyTo;
    const about = { channel, ts: thread, latest: ts, limit: maxMessages };
    const page = await this.#ask<{ messages?: readonly WireMessage[] }>(
      "conversations.replies",
      about,
      signal,
    );
    const lines = (page?.messages ?? [])
      .filter((message) => Number(message.ts) < Number(ts) && typeof message.text === "string")
      .map(({ user = "an app", text = "" }) => `${user}: ${readMrkdwn(text)}`);
    const words = lines.join("\n");
    return words === "" ? [] : textParts(`[earlier in this thread]\n${words.slice(-maxQuoted)}`);
  }

  async #ask<T>(method: string, params: Params, signal: AbortSignal): Promise<T | undefined> {
    if (!this.#mayAsk && method === "users.info") return undefined;
    try {
      const soon = AbortSignal.any([signal, AbortSignal.timeout(askMs)]);
      return await this.#api.call<T>(method, params, { signal: soon });
    } catch (error) {
      if (codeOf(error) === "missing_scope" && method === "users.info") this.#mayAsk = false;
      const { message } = error as Error;
      this.#log.debug({ method }, `Slack does not tell what stands around a message: ${message}`);
      return undefined;
    }
  }
}
