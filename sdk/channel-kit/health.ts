import type { Check, CheckRow } from "../contract/command.ts";
import type { Logger } from "../contract/logger.ts";
import { identity, isGone } from "../node/process-identity.ts";
import type { Values } from "../store/store.ts";

const space = "channel.health";
/** A state that has not changed is written down no more often than this. */
const beatMs = 30_000;
/** A notice that is older than this is taken as settled, or is given again. */
const noticeMs = 3_600_000;
/** A service that has not written for so long does not run. */
const silentMs = 180_000;
/** A loss is told of after so long, and is over once the connection has held for as long. */
const steadyMs = 30_000;

/**
 * `up`: connected. `waiting`: tried again soon. `refused`: the account is, so a person must act.
 */
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

/** A fault that a person should correct, though the connection works. */
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

/**
 * Since when a channel does not hear for good, and why: while it comes and goes, the last reason.
 */
interface Loss {
  /** Unix ms. */
  readonly at: number;
  readonly reason: string;
  /** The number of working connections that were lost. */
  readonly falls: number;
}

/**
 * Keeps the state of a channel's account and connection: logs each change once, and stores it for
 * `status` of another process.
 */
export class ChannelHealth {
  readonly #options: HealthOptions;
  #now: HealthRecord = { state: "starting", since: Date.now(), seen: 0 };
  #writing: Promise<void> = Promise.resolve();
  #lost: Loss | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  get state(): HealthState {
    return this.#now.state;
  }

  /** Notes that a service begins to connect. */
  starts(): void {
    this.#change("starting");
    this.#loses("it does not come to a connection");
  }

  /** Notes that the connection works. */
  up(): void {
    const { channel, log } = this.#options;
    if (this.#change("up")) log.info({ channel }, `The channel ${channel} is connected.`);
  }

  /** Notes that something came in. */
  event(): void {
    this.up();
    const isFirst = this.#now.event === undefined;
    this.#now = { ...this.#now, event: Date.now() };
    this.#keep(isFirst);
  }

  /**
   * Notes that the connection is gone and will be tried again. It was silent for `unheardMs` before
   * that was noticed.
   */
  waits(reason: string, unheardMs: number = 0): void {
    const { channel, log } = this.#options;
    this.#loses(reason, unheardMs);
    const isNew = this.#change("waiting", reason);
    const sentence = `The channel ${channel} is not connected and tries again: ${reason}`;
    if (isNew) log.warn({ channel }, sentence);
    else log.debug({ channel }, sentence);
  }

  /** Notes that the platform refuses the account; `reason` says the cure. */
  refused(reason: string): void {
    const { channel, log } = this.#options;
    this.#loses(reason, steadyMs);
    if (this.#change("refused", reason)) log.error({ channel }, reason);
  }

  /**
   * Notes that something is wrong while the connection works; `text` says the cure. Said once in
   * the log, shown for an hour.
   */
  notices(text: string): void {
    const { channel, log } = this.#options;
    const isNew = this.#now.notice?.text !== text;
    this.#now = { ...this.#now, notice: { text, at: Date.now() } };
    if (isNew) log.warn({ channel }, text);
    this.#keep(isNew);
  }

  /** Notes that the state has not changed. */
  beat(): void {
    this.#keep(false);
  }

  /** Resolves once this is written down too. */
  async stopped(): Promise<void> {
    this.#change("stopped");
    this.#lost = undefined;
    await this.#writing;
  }

  /**
   * The check of `GET /ready`, metrics and alerts: a channel that cannot hear is a warning once
   * that has lasted 30 s, a refused account at once, and works again once it has heard for 30 s.
   */
  get ready(): Check {
    const name = `${this.#options.channel}-hears`;
    return { name, kind: "ready", run: async () => this.#readyRows() };
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

  #readyRows(): readonly CheckRow[] {
    const what = `channel:${this.#options.channel}`;
    const now = Date.now();
    const { state, since } = this.#now;
    if (state === "up" && now - since >= steadyMs) this.#lost = undefined;
    const { at, falls } = this.#lost ?? { at: now, falls: 0 };
    // One short loss is nothing to tell, unless it comes and goes.
    const isShort = falls < 2 && since - at < steadyMs;
    if (state === "up" && (!this.#lost || isShort)) return [{ what, state: "ok", detail: "connected" }];
    if (!this.#lost || now - at < steadyMs) return [];
    return [{ what, state: "warn", detail: this.#lost.reason }];
  }

  /** Notes a loss; the first of several counts, until the connection has held for a while. */
  #loses(reason: string, unheardMs: number = 0): void {
    const { state, since } = this.#now;
    const now = Date.now();
    const before = state === "up" && now - since >= steadyMs ? now : (this.#lost?.at ?? now);
    const falls = (before === now ? 0 : (this.#lost?.falls ?? 0)) + Number(state === "up");
    this.#lost = { at: Math.min(before, now - unheardMs), reason, falls };
  }

  /** Returns true if it was otherwise before. */
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
