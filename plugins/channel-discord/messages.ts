import type { ChannelHealth, ChatFrame } from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import type { Nonces } from "./nonces.ts";
import { OwnRoles } from "./own-roles.ts";
import type { Places } from "./places.ts";
import {
  isWithoutWords,
  readMessage,
  type DiscordMessage,
  type Me,
  type ReplyAddress,
} from "./read-message.ts";
import type { Rest } from "./rest.ts";
import type { WireMessage } from "./wire.ts";

export interface MessageNeeds {
  readonly rest: Rest;
  readonly frame: ChatFrame<ReplyAddress, DiscordMessage>;
  readonly places: Places;
  readonly nonces: Nonces;
  readonly health: ChannelHealth;
}

/** What people wrote. */
export class Messages {
  readonly #needs: MessageNeeds;
  readonly #ownRoles: OwnRoles;

  constructor(needs: MessageNeeds) {
    this.#needs = needs;
    this.#ownRoles = new OwnRoles(needs.rest);
  }

  /** Takes them: they are on disk when it resolves. */
  async take(wires: readonly WireMessage[], me: Me, signal: AbortSignal): Promise<void> {
    const { frame, places } = this.#needs;
    const said: DiscordMessage[] = [];
    for (const wire of wires) {
      const about = { message: String(wire?.id) };
      const message = await frame.read(about, () => this.#read(wire, me, signal));
      if (message) said.push(message);
    }
    const known = await frame.take(said, signal);

    for (const { id, replyTo } of known) await places.note(replyTo.channel, replyTo.guild, id);
    for (const { id, channel_id } of wires) await places.pass(channel_id, id);
    await places.keep();
  }

  async #read(wire: WireMessage, me: Me, signal: AbortSignal): Promise<DiscordMessage | undefined> {
    if (wire.author?.id === me.id) await this.#notice(wire);
    const message = readMessage(wire, me);
    if (message === undefined) {
      if (isWithoutWords(wire)) this.#needs.health.notices(errors.DISCORD_NO_WORDS().message);
      return undefined;
    }
    const role = await this.#ownRoles.nameIn(wire, me, signal);
    if (role === undefined) return message;
    return { ...message, mentioned: true, text: withoutAddress(message.text, role) };
  }

  /** Notices the bot's own messages: one that is not from here comes from another program. */
  async #notice({ nonce, webhook_id, type = 0 }: WireMessage): Promise<void> {
    const { health, nonces } = this.#needs;
    const isPlain = webhook_id === undefined && (type === 0 || type === 19);
    if (isPlain && !(await nonces.isOurs(nonce))) health.notices(errors.DISCORD_TWO_PROGRAMS().message);
  }
}

/** Leaves out a name at the beginning: it is the bot's address and no part of what is said. */
function withoutAddress(text: string, name: string): string {
  return text.startsWith(name) ? text.slice(name.length).replace(/^[\s,:]+/, "") : text;
}
