import type { Upstream, Values } from "@gantry/sdk";
import {
  pause,
  PlatformFailure,
  troubleOf,
  type ChannelHealth,
  type ConnectionOptions,
  type Trouble,
} from "@gantry/sdk/channel";
import type { CatchUp } from "./catch-up.ts";
import { GatewayRefusal } from "./closing.ts";
import { errors } from "./errors.ts";
import type { GatewayEvent } from "./event-queue.ts";
import { GatewayConnection, type Ending } from "./gateway-connection.ts";
import { intentsOf, mayReadWords } from "./intents.ts";
import type { Messages } from "./messages.ts";
import type { Presses } from "./presses.ts";
import type { Me } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { KeptSession, type Session } from "./session.ts";
import type { Settings } from "./settings.ts";
import type { WireApplication, WireGateway, WireInteraction, WireMessage, WireUser } from "./wire.ts";

/** The platform wants a new session to wait for one to five seconds: https://docs.discord.com/developers/events/gateway#resuming */
const newSessionMs = { least: 1_000, most: 5_000 };
/** So many times within a minute a connection is made anew without a word; more often it is a trouble. */
const maxQuiet = 3;
const quietMs = 60_000;

export interface GatewayNeeds {
  readonly settings: Settings;
  readonly upstream: Upstream;
  readonly rest: Rest;
  readonly messages: Messages;
  readonly presses: Presses;
  readonly catchUp: CatchUp;
  readonly health: ChannelHealth;
  values(): Values;
}

/** Stays at the gateway: goes on with the kept session where it can, and begins another where it must. */
export class Gateway implements ConnectionOptions {
  readonly #needs: GatewayNeeds;
  readonly #kept: KeptSession;
  readonly health: ChannelHealth;
  readonly watchdogMs: number = 150_000;
  /** The gateway has said that an intent is not switched on: it is asked again only after that has changed. */
  #lacksIntent = false;
  /** The address of the session could not be reached, so the common one is taken. */
  #lostAddress = false;

  constructor(needs: GatewayNeeds) {
    this.#needs = needs;
    this.health = needs.health;
    this.#kept = new KeptSession(() => needs.values());
  }

  async run(signal: AbortSignal, alive: () => void): Promise<void> {
    const { rest } = this.#needs;
    const { id, username = "" } = await rest.call<WireUser>("GET", "/users/@me", { signal });
    const me: Me = { id, username };
    await this.#intentIsOn(signal);
    let session = await this.#kept.get(id);
    const quiet: number[] = [];
    while (!signal.aborted) {
      const ending = await this.#serve(me, session, signal, alive);
      if (signal.aborted) return;
      if (ending.next === "identify") await this.#kept.put(id, undefined);
      const isOldSession = ending.next === "identify" && session !== undefined;
      session = await this.#kept.get(id);
      if (ending.next === "identify") await pause(between(newSessionMs.least, newSessionMs.most), signal);

      quiet.push(Date.now());
      const often = quiet.filter((at) => Date.now() - at < quietMs).length > maxQuiet;
      if (often || (!ending.ready && !isOldSession)) throw new Error(ending.reason);
    }
  }

  judge(error: unknown): Trouble {
    if (error instanceof GatewayRefusal) {
      this.#lacksIntent = error.kind === "intent";
      return { reason: error.message, refused: true, final: error.kind === "version" };
    }
    return troubleOf(error);
  }

  async #serve(
    me: Me,
    session: Session | undefined,
    signal: AbortSignal,
    alive: () => void,
  ): Promise<Ending> {
    const { settings, upstream, health, presses } = this.#needs;
    const url = await this.#address(session, signal);
    const connection = new GatewayConnection({
      upstream,
      token: settings.token,
      intents: intentsOf(settings.groups),
      url,
      session,
      alive() {
        alive();
        health.beat();
      },
      progressed: (now) => this.#kept.put(me.id, now),
      urgent: ({ data }) => void presses.take(data as WireInteraction, signal),
      take: (events, now, until) => this.#take(events, now, me, until),
    });
    this.#lostAddress = session !== undefined;
    const ending = await connection.serve(signal);
    this.#lostAddress = false;
    return ending;
  }

  /** What the platform handed out; it is on disk when this resolves. */
  async #take(
    events: readonly GatewayEvent[],
    session: Session,
    me: Me,
    signal: AbortSignal,
  ): Promise<Session> {
    const { health, catchUp, messages } = this.#needs;
    if (events.some(({ type }) => type !== "MESSAGE_CREATE")) health.up();
    // Before any message: what is taken moves its place on, and what was missed before it would never be asked for.
    if (!session.caughtUp) await catchUp.run(me, signal);
    const said = events.flatMap(({ type, data }) => (type === "MESSAGE_CREATE" ? [data as WireMessage] : []));
    if (said.length > 0) {
      health.event();
      await messages.take(said, me, signal);
    }
    return { ...session, caughtUp: true };
  }

  /** Where to connect; throws where the bot may begin no more sessions for now. */
  async #address(session: Session | undefined, signal: AbortSignal): Promise<string> {
    const { rest, settings } = this.#needs;
    if (session && !this.#lostAddress) return withVersion(settings.gateway(session.url));
    const { url, session_start_limit: limit } = await rest.call<WireGateway>("GET", "/gateway/bot", {
      signal,
    });
    if (session === undefined && limit !== undefined && limit.remaining < 1) {
      const { total, reset_after: ms } = limit;
      throw new PlatformFailure("rate", errors.DISCORD_NO_STARTS(total, Math.ceil(ms / 1_000)).message, ms);
    }
    return withVersion(settings.gateway(url));
  }

  async #intentIsOn(signal: AbortSignal): Promise<void> {
    if (!this.#lacksIntent) return;
    const application = await this.#needs.rest.call<WireApplication>("GET", "/applications/@me", { signal });
    if (!mayReadWords(application)) throw new GatewayRefusal("intent", errors.DISCORD_INTENT().message);
    this.#lacksIntent = false;
  }
}

function withVersion(url: string): string {
  return `${url}/?v=10&encoding=json`;
}

function between(least: number, most: number): number {
  return least + Math.random() * (most - least);
}
