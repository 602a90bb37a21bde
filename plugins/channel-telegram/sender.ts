import {
  textOf,
  type EditedMessage,
  type MediaRef,
  type OutgoingMessage,
  type Sent,
  type Values,
} from "@gantry/sdk";
import {
  outgoingPieces,
  PlatformFailure,
  renderEntities,
  sendInParts,
  sentOf,
  type ChannelHealth,
  type OutgoingPiece,
  type PieceOptions,
  type RichText,
} from "@gantry/sdk/channel";
import { BotApiFailure, type BotApi } from "./bot-api.ts";
import { readAddress, withoutQuote, type ChatAddress, withoutPreview } from "./sent.ts";
import type { WireMessage } from "./wire.ts";

/** Bounds of one message: UTF-16 units of the text, forms in it. */
const maxText = 4_096;
const maxEntities = 100;
/** A picture is shown up to this size; a larger one goes as a file. */
const maxPhotoBytes = 10 * 1024 * 1024;
const space = "telegram.parts";

export interface SenderNeeds {
  readonly api: BotApi;
  readonly health: ChannelHealth;
  values(): Values;
  readonly open: PieceOptions["open"];
}

/** Sends replies: text with its forms, in several messages where it is long, and media as photos and files. */
export class Sender {
  readonly #needs: SenderNeeds;

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  /** Never throws. */
  async send({ to, parts, key }: OutgoingMessage, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined)
      return { status: "refused", reason: `${JSON.stringify(to)} is no address on Telegram` };
    return sendInParts({
      values: this.#needs.values(),
      space,
      key,
      parts: await outgoingPieces(parts, { open: this.#needs.open, max: maxText }),
      send: (piece, i) => this.#sendPiece(piece, i === 0 ? address : withoutQuote(address), signal),
    });
  }

  /** Never throws. What is too long for one message is cut. */
  async edit({ to, id, parts }: EditedMessage, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    const message_id = Number(id);
    if (address === undefined || !Number.isSafeInteger(message_id) || message_id <= 0)
      return { status: "refused", reason: `${JSON.stringify(id)} is no message on Telegram` };
    const text = textOf(parts).slice(0, maxText).toWellFormed();
    const body = { chat_id: address.chat_id, message_id, text, ...withoutPreview };
    return sentOf(async () => {
      await this.#needs.api.call("editMessageText", body, { signal }).catch((error: Error) => {
        if (!/message is not modified/.test(error.message)) throw error;
      });
      return message_id;
    });
  }

  #sendPiece(piece: OutgoingPiece, address: ChatAddress, signal: AbortSignal): Promise<Sent> {
    return sentOf(() => this.#followed(address, (to) => this.#deliver(piece, to, signal)));
  }

  /** A group that became a supergroup has another id: the message goes there, once. */
  async #followed(address: ChatAddress, deliver: (to: ChatAddress) => Promise<number>): Promise<number> {
    try {
      return await deliver(address);
    } catch (error) {
      if (error instanceof PlatformFailure && error.kind === "account")
        this.#needs.health.refused(error.message);
      if (!(error instanceof BotApiFailure) || error.said.movedTo === undefined) throw error;
      return deliver({ chat_id: error.said.movedTo });
    }
  }

  #deliver(piece: OutgoingPiece, to: ChatAddress, signal: AbortSignal): Promise<number> {
    return "text" in piece
      ? this.#deliverText(piece.text, to, signal)
      : this.#deliverMedia(piece, to, signal);
  }

  /** A form that the platform does not understand is left out, once: an answer must not vanish for its looks. */
  async #deliverText(rich: RichText, to: ChatAddress, signal: AbortSignal): Promise<number> {
    const plain = { ...to, text: rich.text, ...withoutPreview };
    const entities = renderEntities(rich, maxEntities);
    const { api } = this.#needs;
    try {
      const body = entities.length > 0 ? { ...plain, entities } : plain;
      return (await api.call<WireMessage>("sendMessage", body, { signal })).message_id;
    } catch (error) {
      if (!(error instanceof PlatformFailure) || error.kind !== "form") throw error;
      return (await api.call<WireMessage>("sendMessage", plain, { signal })).message_id;
    }
  }

  async #deliverMedia(
    { media, bytes }: { readonly media: MediaRef; readonly bytes: Uint8Array },
    to: ChatAddress,
    signal: AbortSignal,
  ): Promise<number> {
    const isPhoto = /^image\/(?:png|jpeg|webp)$/.test(media.mime) && bytes.length <= maxPhotoBytes;
    const form = new FormData();
    for (const [name, value] of Object.entries(to))
      form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    const file = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: media.mime });
    form.set(isPhoto ? "photo" : "document", file, media.name ?? "file");
    const method = isPhoto ? "sendPhoto" : "sendDocument";
    return (await this.#needs.api.upload<WireMessage>(method, form, { signal, timeoutMs: 120_000 }))
      .message_id;
  }
}
