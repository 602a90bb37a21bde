import {
  pause,
  PlatformFailure,
  troubleOf,
  type ChannelHealth,
  type ChatHost,
  type ConnectionOptions,
  type Groups,
  type Trouble,
} from "@gantry/sdk/channel";
import { catchUp, type CatchUpNeeds } from "./catch-up.ts";
import { GatewayRefusal } from "./closing.ts";
import { errors } from "./errors.ts";
import { GatewaySocket, type GatewayEvent, type Session } from "./gateway-socket.ts";
import { takePress, type PressNeeds } from "./presses.ts";
import type { Me } from "./read-message.ts";
import type { Settings } from "./settings.ts";
import type { WireGateway, WireInteraction, WireMessage, WireUser } from "./wire.ts";

/**
 * The platform wants a new session to wait for one to five seconds:
 * https://docs.discord.com/developers/events/gateway#resuming
 */
const newSessionMs = { least: 1_000, most: 5_000 };
/** The reconnections within a minute that are made without a word; more of them are a trouble. */
const maxQuiet = 3;
const quietMs = 60_000;
/**
 * The events that a bot asks for:
 * https://docs.discord.com/developers/events/gateway#list-of-intents
 */
const intents = { guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 } as const;
const space = "discord.session";
/** The platform keeps missed events for minutes, so it does not take an older session up again. */
const lifeMs = 86_400_000;

export type GatewayNeeds = ChatHost & CatchUpNeeds & PressNeeds & { readonly settings: Settings };

/** Stays at the gateway: goes on with the kept session if it can, and begins another if it must. */
export class Gateway implements ConnectionOptions {
  readonly #needs: GatewayNeeds;
  readonly health: ChannelHealth;
  readonly watchdogMs: number = 150_000;
  /** The address of the session could not be reached, so the common one is taken. */
  #lostAddress = false;

  constructor(needs: GatewayNeeds) {
    this.#needs = needs;
    this.health = needs.health;
  }

  async run(signal: AbortSignal, alive: () => void): Promise<void> {
    const { rest, values } = this.#needs;
    const { id, username = "" } = await rest.call<WireUser>("GET", "/users/@me", { signal });
    const quiet: number[] = [];
    while (!signal.aborted) {
      const session = await values().get<Session>(space, id);
      const socket = await this.#connect({ id, username }, session, signal, alive);
      const { resumes, reason } = await socket.serve(signal);
      this.#lostAddress = false;
      if (signal.aborted) return;
      if (!resumes) {
        await values().remove(space, id);
        const { least, most } = newSessionMs;
        await pause(least + Math.random() * (most - least), signal);
      }
      quiet.push(Date.now());
      const often = quiet.filter((at) => Date.now() - at < quietMs).length > maxQuiet;
      if (often || (!socket.isReady && (resumes || session === undefined))) throw new Error(reason);
    }
  }

  judge(error: unknown): Trouble {
    if (!(error instanceof GatewayRefusal)) return troubleOf(error);
    return { reason: error.message, refused: true, final: true };
  }

  async #connect(
    me: Me,
    session: Session | undefined,
    signal: AbortSignal,
    alive: () => void,
  ): Promise<GatewaySocket> {
    const { settings, upstream, health, values } = this.#needs;
    const url = await this.#address(session, signal);
    this.#lostAddress = session !== undefined;
    return new GatewaySocket({
      upstream,
      token: settings.token,
      intents: intentsOf(settings.groups),
      url: `${settings.gateway(url)}/?v=10&encoding=json`,
      session,
      alive() {
        alive();
        health.beat();
      },
      keep: (now) => values().put(space, me.id, now, { forMs: lifeMs }),
      press: (data) => void takePress(data as WireInteraction, this.#needs, signal),
      take: (events, now, until) => this.#take(events, now, me, until),
    });
  }

  /** Takes the events that the platform handed out; they are on disk when this resolves. */
  async #take(
    events: readonly GatewayEvent[],
    session: Session,
    me: Me,
    signal: AbortSignal,
  ): Promise<Session> {
    const { health, messages } = this.#needs;
    if (events.some(({ type }) => type !== "MESSAGE_CREATE")) health.up();
    // Before any message: what is taken moves its place on, and what was missed before it would
    // never be asked for.
    if (!session.caughtUp) await catchUp(this.#needs, me, signal);
    const said = events.flatMap(({ type, data }) => (type === "MESSAGE_CREATE" ? [data as WireMessage] : []));
    if (said.length > 0) {
      health.event();
      await messages.take(said, me, signal);
    }
    return { ...session, caughtUp: true };
  }

  /** Returns the address to connect to. Throws if the bot may begin no more sessions for now. */
  async #address(session: Session | undefined, signal: AbortSignal): Promise<string> {
    if (session && !this.#lostAddress) return session.url;
    const found = await this.#needs.rest.call<WireGateway>("GET", "/gateway/bot", { signal });
    const { url, session_start_limit: limit } = found;
    if (session === undefined && limit !== undefined && limit.remaining < 1) {
      const { total, reset_after: ms } = limit;
      throw new PlatformFailure("rate", errors.DISCORD_NO_STARTS(total, Math.ceil(ms / 1_000)).message, ms);
    }
    return url;
  }
}

/** Returns the bits for direct messages, and with groups for those of servers and their words. */
function intentsOf(groups: Groups): number {
  if (groups === "off") return intents.directMessages;
  return intents.directMessages | intents.guildMessages | intents.messageContent;
}
