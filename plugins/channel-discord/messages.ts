import { PlatformFailure, type ChannelHealth, type ChatFrame, type KnownPlaces } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import type { Nonces } from "./nonces.ts";
import {
  isWithoutWords,
  readMessage,
  type DiscordMessage,
  type Me,
  type ReplyAddress,
} from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { isId } from "./snowflake.ts";
import type { WireMessage, WireRole } from "./wire.ts";

/** A channel in which the bot is asked. */
export interface Place {
  readonly channel: string;
  readonly guild?: string;
  readonly last: string;
}

export interface MessageNeeds {
  readonly rest: Rest;
  readonly frame: ChatFrame<ReplyAddress, DiscordMessage>;
  readonly places: KnownPlaces<Place>;
  readonly nonces: Nonces;
  readonly health: ChannelHealth;
}

/** Takes the messages that people wrote. */
export class Messages {
  readonly #needs: MessageNeeds;
  /** By server: the bot's own role, which people who type its name often pick. */
  readonly #ownRoles = new Map<string, string | undefined>();

  constructor(needs: MessageNeeds) {
    this.#needs = needs;
  }

  /** Takes messages: they are on disk when it resolves. */
  async take(wires: readonly WireMessage[], me: Me, signal: AbortSignal): Promise<void> {
    const { frame, places } = this.#needs;
    const said: DiscordMessage[] = [];
    for (const wire of wires) {
      const about = { message: String(wire?.id) };
      const message = await frame.read(about, () => this.#read(wire, me, signal));
      if (message) said.push(message);
    }
    const known = await frame.take(said, signal);

    for (const { id: last, replyTo } of known) {
      const { channel, guild } = replyTo;
      await places.reached(channel, { channel, ...(guild !== undefined && { guild }), last });
    }
    for (const { id: last, channel_id } of wires) {
      const place = await places.get(channel_id);
      if (place && isId(last)) await places.reached(channel_id, { ...place, last });
    }
    await places.keep();
  }

  async #read(wire: WireMessage, me: Me, signal: AbortSignal): Promise<DiscordMessage | undefined> {
    if (wire.author?.id === me.id) await this.#notice(wire);
    const message = readMessage(wire, me);
    if (message === undefined) {
      if (isWithoutWords(wire)) this.#needs.health.notices(errors.DISCORD_NO_WORDS().message);
      return undefined;
    }
    const role = await this.#ownRole(wire, me, signal);
    if (role === undefined || !wire.mention_roles?.includes(role)) return message;
    const text = message.text.replace(new RegExp(`^<@&${role}>[\\s,:]*`), "");
    return { ...message, mentioned: true, text };
  }

  /** Notices the bot's own messages: one that is not from here comes from another program. */
  async #notice({ nonce, webhook_id, type = 0 }: WireMessage): Promise<void> {
    const { health, nonces } = this.#needs;
    const isPlain = webhook_id === undefined && (type === 0 || type === 19);
    if (isPlain && !(await nonces.isOurs(nonce))) health.notices(errors.DISCORD_TWO_PROGRAMS().message);
  }

  /** Returns the bot's role in a server; a role that cannot be found out counts as none. */
  async #ownRole(
    { guild_id: guild, mention_roles = [] }: WireMessage,
    me: Me,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (guild === undefined || mention_roles.length === 0) return undefined;
    if (this.#ownRoles.has(guild)) return this.#ownRoles.get(guild);
    try {
      const path = `/guilds/${guild}/roles`;
      const roles = await this.#needs.rest.call<readonly WireRole[]>("GET", path, { signal });
      this.#ownRoles.set(guild, roles.find(({ tags }) => tags?.bot_id === me.id)?.id);
    } catch (error) {
      if (!(error instanceof PlatformFailure)) throw error;
    }
    return this.#ownRoles.get(guild);
  }
}
