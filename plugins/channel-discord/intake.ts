import type { Inbox, InboundMessage } from "@gantry/sdk";
import {
  Admission,
  isForAgent,
  receiveAll,
  type AdmissionNeeds,
  type ChannelHealth,
} from "@gantry/sdk/channel";
import { errors } from "./errors.ts";
import { asAttachment } from "./files.ts";
import type { Nonces } from "./nonces.ts";
import type { OwnRoles } from "./own-roles.ts";
import type { Places } from "./places.ts";
import { isWithoutWords, readMessage, type DiscordMessage, type Me } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { bodyOf } from "./sent.ts";
import type { Settings } from "./settings.ts";
import type { WireMessage } from "./wire.ts";

export interface IntakeNeeds extends AdmissionNeeds {
  readonly settings: Settings;
  readonly rest: Rest;
  readonly places: Places;
  readonly nonces: Nonces;
  readonly ownRoles: OwnRoles;
  readonly health: ChannelHealth;
  readonly inbox: Inbox;
}

/** Takes what people wrote: it is on disk when it resolves. */
export class Intake {
  readonly #needs: IntakeNeeds;
  readonly #admission: Admission;

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
    this.#admission = new Admission("discord", needs);
  }

  async take(messages: readonly WireMessage[], me: Me, signal: AbortSignal): Promise<void> {
    const { inbox, places } = this.#needs;
    const admitted: InboundMessage[] = [];
    const known: DiscordMessage[] = [];
    for (const wire of messages) {
      const message = await this.#read(wire, me, signal);
      if (message === undefined) continue;
      const inbound = await this.#admit(message, signal);
      admitted.push(...inbound);
      if (inbound.some(({ trust }) => trust !== "guest") || this.#letsAllIn()) known.push(message);
    }
    if (admitted.length > 0) await receiveAll(inbox, admitted, signal);

    for (const { id, replyTo } of known) await places.note(replyTo.channel, replyTo.guild, id);
    for (const { id, channel_id } of messages) await places.pass(channel_id, id);
    await places.keep();
  }

  /** What cannot be read is left out with a line in the log, so that it keeps nothing else back. */
  async #read(wire: WireMessage, me: Me, signal: AbortSignal): Promise<DiscordMessage | undefined> {
    const { settings, log, health, ownRoles } = this.#needs;
    try {
      if (wire.author?.id === me.id) await this.#notice(wire);
      const message = readMessage(wire, me);
      if (message === undefined && isWithoutWords(wire)) health.notices(errors.DISCORD_NO_WORDS().message);
      if (message === undefined) return undefined;
      const { conversation, replyTo } = message;
      const role = await ownRoles.nameIn(wire, me, signal);
      const mentioned = message.mentioned || role !== undefined;
      const written = { kind: conversation.kind, group: replyTo.guild ?? "", mentioned };
      if (!isForAgent(written, settings.groups)) return undefined;
      return { ...message, mentioned, text: withoutAddress(message.text, role) };
    } catch (error) {
      const id = String(wire?.id);
      log.warn({ message: id }, `A message of Discord was left out, as ${(error as Error).message}.`);
      return undefined;
    }
  }

  /** The bot's own messages come back; one that is not from here comes from another program. */
  async #notice({ nonce, webhook_id, type = 0 }: WireMessage): Promise<void> {
    const { health, nonces } = this.#needs;
    const isPlain = webhook_id === undefined && (type === 0 || type === 19);
    if (isPlain && !(await nonces.isOurs(nonce))) health.notices(errors.DISCORD_TWO_PROGRAMS().message);
  }

  async #admit(message: DiscordMessage, signal: AbortSignal): Promise<readonly InboundMessage[]> {
    const { people, settings, nonces, rest } = this.#needs;
    const { channel, guild } = message.replyTo;
    const answer = async (text: string): Promise<void> => {
      const nonce = await nonces.of(`paired ${message.id}`, 0);
      await rest.call("POST", `/channels/${channel}/messages`, { body: bodyOf(text, nonce), signal });
    };
    const trust = isGuildAllowed(settings, guild) ? await people.trust(message.sender.id) : undefined;
    const attachments = message.files.map((file) => asAttachment(file, rest));
    const admitted = await this.#admission.admit(message, { trust, attachments, answer }, signal);
    return admitted === undefined ? [] : [admitted];
  }

  #letsAllIn(): boolean {
    return this.#needs.settings.people.allowed.includes("*");
  }
}

/** A name at the beginning is the bot's address and no part of what is said. */
function withoutAddress(text: string, name: string | undefined): string {
  return name !== undefined && text.startsWith(name) ? text.slice(name.length).replace(/^[\s,:]+/, "") : text;
}

/** True for a direct chat too. */
export function isGuildAllowed({ guildIds }: Settings, guild: string | undefined): boolean {
  return guild === undefined || guildIds.length === 0 || guildIds.includes(guild);
}
