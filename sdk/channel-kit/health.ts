import type { CheckRow } from "../contract/command.ts";
import type { Logger } from "../contract/logger.ts";
import { identity, isGone } from "../node/process-identity.ts";
import type { Values } from "../store/store.ts";

const space = "channel.health";
/** What is no change is written down at most so often. */
const beatMs = 30_000;
/** What was noticed longer ago is mended, or said again. */
const noticeMs = 3_600_000;
/** A service that has not written for so long does not run. */
const silentMs = 180_000;

/** `up`: connected. `waiting`: tried again soon. `refused`: the account is, so a person must do something. */
export type HealthState = "starting" | "up" | "waiting" | "refused" | "stopped";

export interface HealthRecord {
  readonly state: HealthState;
  /** Unix ms: since when it is so, when something last came in, when this was written. */
  readonly since: number;
  readonly event?: number;
  readonly seen: number;
  readonly reason?: string;
  readonly notice?: HealthNotice;
  /** The process that wrote it, so that one that was killed is known to be gone. */
  readonly by?: string;
}

/** What a person should mend, though the connection works. */
export interface HealthNotice {
  /** A sentence with the cure. */
  readonly text: string;
  /** Unix ms: when it was last seen. */
  readonly at: number;
}

export interface HealthOptions {
  /** The channel's name. */
  readonly channel: string;
  readonly values: () => Values;
  readonly log: Logger;
}

/** How a channel's account and connection are: said once in the log at each change, and kept for `status` of another process. */
export class ChannelHealth {
  readonly #options: HealthOptions;
  #now: HealthRecord = { state: "starting", since: Date.now(), seen: 0 };
  #writing: Promise<void> = Promise.resolve();

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  get state(): HealthState {
    return this.#now.state;
  }

  /** A service begins to connect. */
  starts(): void {
    this.#change("starting");
  }

  /** The connection works. */
  up(): void {
    const { channel, log } = this.#options;
    if (this.#change("up")) log.info({ channel }, `The channel ${channel} is connected.`);
  }

  /** Something came in. */
  event(): void {
    this.up();
    const isFirst = this.#now.event === undefined;
    this.#now = { ...this.#now, event: Date.now() };
    this.#keep(isFirst);
  }

  /** The connection is gone and will be tried again. */
  waits(reason: string): void {
    const { channel, log } = this.#options;
    const isNew = this.#change("waiting", reason);
    const sentence = `The channel ${channel} is not connected and tries again: ${reason}`;
    if (isNew) log.warn({ channel }, sentence);
    else log.debug({ channel }, sentence);
  }

  /** The platform refuses the account; `reason` says the cure. */
  refused(reason: string): void {
    const { channel, log } = this.#options;
    if (this.#change("refused", reason)) log.error({ channel }, reason);
  }

  /** Something is wrong while the connection works; `text` says the cure. Said once in the log, shown for an hour. */
  notices(text: string): void {
    const { channel, log } = this.#options;
    const isNew = this.#now.notice?.text !== text;
    this.#now = { ...this.#now, notice: { text, at: Date.now() } };
    if (isNew) log.warn({ channel }, text);
    this.#keep(isNew);
  }

  /** It is still as it was said last. */
  beat(): void {
    this.#keep(false);
  }

  /** Resolves once this is written down too. */
  async stopped(): Promise<void> {
    this.#change("stopped");
    await this.#writing;
  }

  /** The row of `status` and `doctor`, whichever process serves. */
  async row(): Promise<CheckRow> {
    const { channel, values } = this.#options;
    const what = `${channel} connection`;
    const record = await values().get<HealthRecord>(space, channel);
    const now = Date.now();
    const isHeard = record !== undefined && record.state !== "stopped" && now - record.seen < silentMs;
    if (!isHeard || isGone(record.by ?? "")) {
      const detail = record
        ? `no service runs; the last one was seen ${span(now - record.seen)} ago`
        : "never connected";
      return { what, state: "warn", detail, cure: "run `gantry daemon`" };
    }
    const last = record.event === undefined ? "no event yet" : `last event ${span(now - record.event)} ago`;
    const { state, reason = "", since, notice } = record;
    const connected = `connected for ${span(now - since)}; ${last}`;
    if (state === "up" && notice !== undefined && now - notice.at < noticeMs)
      return { what, state: "warn", detail: `${connected}; ${notice.text}` };
    if (state === "up") return { what, state: "ok", detail: connected };
    if (state === "starting") return { what, state: "warn", detail: "connecting" };
    return { what, state: "fail", detail: `${reason} (for ${span(now - since)}; ${last})` };
  }

  /** True if it was otherwise before. */
  #change(state: HealthState, reason?: string): boolean {
    const { state: before, reason: told, event, seen, notice } = this.#now;
    const isNew = before !== state || told !== reason || seen === 0;
    if (isNew)
      this.#now = {
        ...(event !== undefined && { event }),
        ...(reason !== undefined && { reason }),
        ...(notice !== undefined && { notice }),
        state,
        since: Date.now(),
        seen,
      };
    this.#keep(isNew);
    return isNew;
  }

  /** Kept as well as it can be: a store that fails must not stop the channel. */
  #keep(isNew: boolean): void {
    const now = Date.now();
    if (!isNew && now - this.#now.seen < beatMs) return;
    this.#now = { ...this.#now, seen: now, by: identity(process.pid) };
    const record = this.#now;
    const { channel, values } = this.#options;
    this.#writing = this.#writing.then(() => values().put(space, channel, record)).catch(() => {});
  }
}

function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
