import {
  isVerbatim,
  refuse,
  textOf,
  type CheckRow,
  type Json,
  type MediaRef,
  type Part,
  type Refusal,
} from "@gantry/sdk";
import {
  describeAttachment,
  KnownPlaces,
  plainText,
  PlatformFailure,
  readMarkdown,
  showWorking,
  splitVerbatim,
  type ApprovalButton,
  type Attachment,
  type ChatFrame,
  type ChatHost,
  type ChatPlatform,
  type Delivery,
  type OutgoingFile,
  type OutgoingPiece,
  type RichText,
  type Standing,
} from "@gantry/sdk/channel";
import { bodyOf, readAddress } from "./address.ts";
import { accountOf, platformRows } from "./checks.ts";
import { errors } from "./errors.ts";
import { asAttachment, type FileOfMessage } from "./files.ts";
import { Gateway } from "./gateway.ts";
import { Messages, type Place } from "./messages.ts";
import { Nonces } from "./nonces.ts";
import type { DiscordMessage, ReplyAddress } from "./read-message.ts";
import { renderMessage } from "./render.ts";
import type { Rest } from "./rest.ts";
import type { Settings } from "./settings.ts";
import type { WireMessage } from "./wire.ts";

/**
 * The most characters of one message, with all marks:
 * https://docs.discord.com/developers/resources/message#create-message
 */
const maxText = 2_000;
/**
 * The most bytes of a file if nobody pays for more:
 * https://docs.discord.com/developers/reference#uploading-files
 */
const maxFileBytes = 10 * 1024 * 1024;
/**
 * The most characters of a picture's description:
 * https://docs.discord.com/developers/resources/message#attachment-object
 */
const maxDescription = 1_024;
/** A channel in which the bot was not asked for so long is forgotten. */
const placeLifeMs = 7 * 86_400_000;
const uploadMs = 120_000;
/** The platform's indicator fades after ten seconds. */
const typingMs = 8_000;
/**
 * The types of components and the styles of buttons:
 * https://docs.discord.com/developers/components/reference
 */
const row = 1;
const button = 2;
const styles = { Allow: 3, Deny: 4 } as const;
const otherStyle = 2;

type To = Delivery<ReplyAddress>;

/** Discord, by its REST API and its gateway. */
export class DiscordPlatform implements ChatPlatform<ReplyAddress, DiscordMessage> {
  readonly #settings: Settings;
  readonly #rest: Rest;
  readonly #host: ChatHost;
  readonly #nonces: Nonces;
  readonly text = { max: maxText, size: sizeOf, asWords: whereTooLarge };
  readonly messageForm: RegExp = /^[0-9]{1,20}$/;
  /** By its nonces. */
  readonly sendsOnce = true;

  constructor(settings: Settings, rest: Rest, host: ChatHost) {
    this.#settings = settings;
    this.#rest = rest;
    this.#host = host;
    this.#nonces = new Nonces(host.values);
  }

  readAddress(to: Json): ReplyAddress | undefined {
    return readAddress(to);
  }

  receive(frame: ChatFrame<ReplyAddress, DiscordMessage>): Gateway {
    const rest = this.#rest;
    const places = new KnownPlaces<Place>(this.#host.values, "discord.places", placeLifeMs);
    const needs = { ...this.#host, settings: this.#settings, rest, frame, places };
    return new Gateway({ ...needs, messages: new Messages({ ...needs, nonces: this.#nonces }) });
  }

  attachment(file: FileOfMessage): Attachment {
    return asAttachment(file, this.#rest);
  }

  refusePlace({ guild }: ReplyAddress): Refusal | undefined {
    const { guildIds } = this.#settings;
    if (guild === undefined || guildIds.length === 0 || guildIds.includes(guild)) return undefined;
    return refuse(errors.DISCORD_GUILD(guild));
  }

  async send(piece: OutgoingPiece, to: To): Promise<string> {
    if (!("text" in piece)) return this.#sendFile(piece, to);
    try {
      return await this.#post(renderMessage(piece.text), to);
    } catch (error) {
      // Without its escapes a verbatim text would be another one; other forms are left out, once.
      if (!(error instanceof PlatformFailure) || error.kind !== "form" || piece.verbatim) throw error;
      return this.#post(piece.text.text.toWellFormed(), to);
    }
  }

  async edit(message: Standing<ReplyAddress>, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const words = textOf(parts);
    const content = isVerbatim(parts) ? plainly(words) : renderMessage(await readMarkdown(words));
    await this.#patch(message, { content: content.slice(0, maxText).toWellFormed() }, signal);
  }

  ask(text: string, buttons: readonly ApprovalButton[], to: To): Promise<string> {
    const components = [{ type: row, components: buttons.map(buttonOf) }];
    return this.#post(plainly(text), to, { components });
  }

  unbutton(message: Standing<ReplyAddress>, _: unknown, signal: AbortSignal): Promise<void> {
    return this.#patch(message, {}, signal);
  }

  typing({ channel }: ReplyAddress, signal: AbortSignal): Promise<void> {
    return showWorking(typingMs, signal, async (now) => {
      await this.#rest.call("POST", `/channels/${channel}/typing`, { signal: now });
    });
  }

  account(): string {
    return accountOf(this.#settings);
  }

  check(signal: AbortSignal): Promise<readonly CheckRow[]> {
    return platformRows(this.#settings, this.#rest, signal);
  }

  async #sendFile({ media, bytes }: OutgoingFile, to: To): Promise<string> {
    const { mime, name = "file", alt = "" } = media;
    const file = new File([bytes as Uint8Array<ArrayBuffer>], name, { type: mime });
    const caption = renderMessage(plainText(alt)).slice(0, maxText).toWellFormed();
    const description = alt.slice(0, maxDescription).toWellFormed();
    const attachment = { id: 0, filename: name, ...(alt !== "" && { description }) };
    const upload = { file, timeoutMs: uploadMs };
    return this.#post(caption, to, { attachments: [attachment] }, upload);
  }

  /** Only the first message of an answer names the question. */
  async #post(content: string, to: To, more: object = {}, upload: object = {}): Promise<string> {
    const { address, key, index, signal } = to;
    const nonce = await this.#nonces.of(key, index);
    const answers = index === 0 ? address.message : undefined;
    const body = { ...bodyOf(content, nonce, answers), ...more };
    const path = `/channels/${address.channel}/messages`;
    return (await this.#rest.call<WireMessage>("POST", path, { body, signal, ...upload })).id;
  }

  /** Buttons go with every change. */
  async #patch({ address, id }: Standing<ReplyAddress>, change: object, signal: AbortSignal): Promise<void> {
    const body = { ...change, components: [], allowed_mentions: { parse: [] } };
    await this.#rest.call("PATCH", `/channels/${address.channel}/messages/${id}`, { body, signal });
  }
}

function buttonOf({ label, data }: ApprovalButton): object {
  const style = styles[label as keyof typeof styles] ?? otherStyle;
  return { type: button, style, label, custom_id: data };
}

/**
 * Returns words in which nothing is a mark, also where they are cut: what is asked is seen as it
 * is.
 */
function plainly(text: string): string {
  const [first = plainText(text)] = splitVerbatim(text, { max: maxText, size: sizeOf });
  return renderMessage(first);
}

function sizeOf(piece: RichText): number {
  return renderMessage(piece).length;
}

/** Returns one honest line for a file that the platform does not take. */
function whereTooLarge(media: MediaRef, bytes: Uint8Array): string | undefined {
  if (bytes.length <= maxFileBytes) return undefined;
  const attachment = { kind: "file", ...media, load: async () => bytes };
  return describeAttachment(attachment, "not sent, more than 10 MiB");
}
