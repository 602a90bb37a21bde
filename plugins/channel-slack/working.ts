import { PlatformFailure, showWorking } from "@gantry/sdk/channel";
import type { SlackAddress } from "./address.ts";
import type { WebApi } from "./web-api.ts";
import { codeOf } from "./web-failure.ts";

/** A status fades after two minutes: https://docs.slack.dev/reference/methods/assistant.threads.setStatus */
const statusMs = 60_000;
const setStatus = "assistant.threads.setStatus";
const emoji = "hourglass_flowing_sand";
/** The time for taking an indicator away after its turn was cancelled. */
const takeBackMs = 10_000;

/** Shows that a turn runs: by a status in a thread, else by a reaction that is taken back. */
export class Working {
  readonly #api: WebApi;
  /** False once Slack has refused a status for this app, as it then refuses always. */
  #hasStatus = true;

  constructor(api: WebApi) {
    this.#api = api;
  }

  /** Until `signal` is aborted. Never throws. */
  async show({ channel, thread, message }: SlackAddress, signal: AbortSignal): Promise<void> {
    if (message === undefined) return;
    // A status stands in a thread; elsewhere nobody would see it.
    const place = { channel_id: channel, thread_ts: thread };
    const isShown = thread !== undefined && this.#hasStatus && (await this.#inStatus(place, signal));
    if (!isShown && !signal.aborted)
      await this.#byReaction({ channel, timestamp: message, name: emoji }, signal);
  }

  /** Returns false if there is no such thing as a status here. */
  async #inStatus(place: object, signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    let [isShown, mayStand] = [false, false];
    await showWorking(statusMs, either, async () => {
      try {
        await this.#api.call(setStatus, { ...place, status: "is working on it…" }, { signal: either });
        isShown = true;
      } catch (error) {
        // A call that was cut off may have been taken all the same.
        mayStand ||= signal.aborted;
        if (isShown || !(error instanceof PlatformFailure) || error.kind === "rate") throw error;
        if (["missing_scope", "unknown_method"].includes(error.code)) this.#hasStatus = false;
        over.abort();
      }
    });
    if (isShown || mayStand) await this.#quietly(setStatus, { ...place, status: "" });
    return isShown;
  }

  async #byReaction(reaction: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const isThere = await this.#api.call("reactions.add", reaction, { signal }).then(
      () => true,
      // Left by a process that was killed.
      (error: PlatformFailure) => codeOf(error) === "already_reacted" || error.kind === "again",
    );
    if (!isThere) return;
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await this.#quietly("reactions.remove", reaction);
  }

  async #quietly(method: string, params: Readonly<Record<string, string>>): Promise<void> {
    await this.#api.call(method, params, { signal: AbortSignal.timeout(takeBackMs) }).catch(() => {});
  }
}
