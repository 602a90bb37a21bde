import {
  pause,
  troubleOf,
  type ChannelHealth,
  type ChatHost,
  type ConnectionOptions,
  type Trouble,
} from "@gantry/sdk/channel";
import { beginCatchUp, type CatchUpNeeds } from "./catch-up.ts";
import { errors } from "./errors.ts";
import { takePress, type PressNeeds } from "./presses.ts";
import type { Me } from "./read-mrkdwn.ts";
import { Disconnected, SocketLink } from "./socket-link.ts";
import { failureOf } from "./web-failure.ts";
import type { WireAuth, WireEnvelope, WireEvent, WirePress } from "./wire.ts";

/** Neither a frame nor a ping for so long: the connection is deaf. */
const silentMs = 60_000;
/** An old connection brings what is under way for so long after the new one is open. */
const drainMs = 15_000;
/** Connections of ended programs are dropped after a while. */
const tooManyMs = 120_000;
/** Messages that are being put on disk; beyond that Slack keeps the next. */
const maxUnderWay = 256;
/** Slack ends every connection now and then, and says so before. */
const routine = new Set(["warning", "refresh_requested"]);

export type ListenerNeeds = CatchUpNeeds & PressNeeds & ChatHost;

/** The state that the links of one run share. */
interface Run {
  readonly me: Me;
  readonly signal: AbortSignal;
  /** Ends the run: what could not be put on disk comes again after it. */
  fail(error: unknown): void;
}

/** Listens by Socket Mode; Slack is told that an event has arrived only once it is on disk. */
export class Listener implements ConnectionOptions {
  readonly #needs: ListenerNeeds;
  readonly #links = new Set<SocketLink>();
  readonly #underWay = new Set<Promise<void>>();
  readonly health: ChannelHealth;
  readonly watchdogMs: number = silentMs;

  constructor(needs: ListenerNeeds) {
    this.#needs = needs;
    this.health = needs.health;
  }

  /** Serves one connection after the other without a gap, until one fails. */
  async run(outer: AbortSignal, alive: () => void): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([outer, over.signal]);
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {});
    try {
      const run: Run = { me: await this.#whoAmI(signal), signal, fail: failed.reject };
      let link = await this.#open(signal, alive);
      await beginCatchUp(this.#needs, run.me, signal, run.fail);
      for (;;) {
        const { ended, refresh } = this.#serve(link, run);
        await Promise.race([failed.promise, ended, refresh]);
        const old = link;
        // If no new link can be had, the old one goes on as long as Slack lets it.
        link = await this.#open(signal, alive).catch(async (error: Error) => {
          await Promise.race([failed.promise, ended]).catch(() => {});
          throw error;
        });
        void pause(drainMs, signal).then(() => old.close());
      }
    } finally {
      over.abort();
    }
  }

  judge(error: unknown): Trouble {
    if (error instanceof Disconnected) return ofDisconnect(error);
    return troubleOf(error);
  }

  async #whoAmI(signal: AbortSignal): Promise<Me> {
    const { user_id, bot_id } = await this.#needs.api.call<WireAuth>("auth.test", {}, { signal });
    return { userId: user_id, botId: bot_id };
  }

  async #open(signal: AbortSignal, alive: () => void): Promise<SocketLink> {
    const link = await SocketLink.open({ ...this.#needs, signal, alive });
    this.#links.add(link);
    this.health.up();
    const own = this.#links.size;
    if (link.connections > own) this.health.notices(errors.SLACK_TWO_PROGRAMS(link.connections, own).message);
    return link;
  }

  #serve(link: SocketLink, run: Run): { readonly ended: Promise<never>; readonly refresh: Promise<void> } {
    const refresh = Promise.withResolvers<void>();
    const ended = this.#pump(link, run, refresh.resolve).finally(() => this.#links.delete(link));
    ended.catch(() => {});
    return { ended, refresh: refresh.promise };
  }

  async #pump(link: SocketLink, run: Run, refresh: () => void): Promise<never> {
    for await (const envelope of link.envelopes()) {
      const { type, reason = "", payload } = envelope;
      if (type === "disconnect" && !routine.has(reason)) throw new Disconnected(reason);
      else if (type === "disconnect") refresh();
      else if (type === "events_api") await this.#event(link, envelope, run);
      else link.acknowledge(envelope);
      if (type === "interactive") void takePress(Object(payload) as WirePress, this.#needs, run.signal);
    }
    throw new Disconnected("closed");
  }

  /** Waits only if too much is under way. */
  async #event(link: SocketLink, envelope: WireEnvelope, { me, signal, fail }: Run): Promise<void> {
    this.health.event();
    const { event } = (envelope.payload ?? {}) as WireEvent;
    const taken = event ? this.#needs.messages.take(event, me, signal) : Promise.resolve();
    const done = taken
      .then(() => link.acknowledge(envelope), fail)
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
    while (this.#underWay.size >= maxUnderWay) await Promise.race(this.#underWay);
  }
}

function ofDisconnect({ reason, message }: Disconnected): Trouble {
  if (reason === "too_many_websockets")
    return { reason: errors.SLACK_TOO_MANY().message, leastMs: tooManyMs };
  if (reason === "" || reason === "closed" || routine.has(reason)) return { reason: message };
  const call = { method: "apps.connections.open", token: "app_token", channel: "", needed: "" } as const;
  const failure = failureOf({ ...call, status: 200, error: reason, afterSeconds: 0 });
  return failure.kind === "account" ? { reason: failure.message, refused: true } : { reason: message };
}
