import {
  textOf,
  type EditedMessage,
  type Logger,
  type OutgoingMessage,
  type Sent,
  type Speaker,
  type Values,
} from "@gantry/sdk";
import {
  copyRoom,
  inWords,
  outgoingPieces,
  PlatformFailure,
  renderEntities,
  sendInParts,
  sentOf,
  spokenWords,
  type ChannelHealth,
  type OutgoingFile,
  type PieceOptions,
  type RichText,
} from "@gantry/sdk/channel";
import { copyOf, inAlbums, type Piece, type SpokenPiece } from "./albums.ts";
import { BotApiFailure, type BotApi } from "./bot-api.ts";
import { isPhoto, uploadForm, type Upload } from "./uploads.ts";
import { readAddress, withoutQuote, type ChatAddress, withoutPreview } from "./sent.ts";
import type { WireMessage } from "./wire.ts";

/** Bounds of one message: UTF-16 units of the text, with room for words that mark a copy; forms in it. */
const maxText = 4_096 - copyRoom;
const maxEntities = 100;
const space = "telegram.parts";

export interface SenderNeeds {
  readonly api: BotApi;
  readonly health: ChannelHealth;
  readonly log: Logger;
  readonly speaker: Speaker | undefined;
  values(): Values;
  readonly open: PieceOptions["open"];
}

type Delivering = { readonly to: ChatAddress; readonly signal: AbortSignal };

/** Sends replies: text with its forms, in several messages where it is long, and media as photos and files. */
export class Sender {
  readonly #needs: SenderNeeds;

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  /** Never throws. */
  async send(message: OutgoingMessage, signal: AbortSignal): Promise<Sent> {
    const { to, parts, key, earlier, inReplyTo } = message;
    const address = readAddress(to);
    if (address === undefined)
      return { status: "refused", reason: `${JSON.stringify(to)} is no address on Telegram` };
    const { open, speaker } = this.#needs;
    const pieces = inAlbums(await outgoingPieces(parts, { open, max: maxText }));
    const spoken = inReplyTo === undefined ? undefined : await spokenWords(parts, speaker);
    let last: Sent = { status: "sent" };
    return sendInParts({
      values: this.#needs.values(),
      space,
      key,
      earlier,
      parts: spoken === undefined ? pieces : [...pieces, { spoken }],
      again: copyOf,
      apart: (piece) => ("album" in piece ? piece.album : undefined),
      instead: (piece, reason) =>
        "album" in piece || "spoken" in piece ? undefined : inWords(piece, reason),
      send: async (piece, i) => {
        const to = i === 0 ? address : withoutQuote(address);
        if ("spoken" in piece) await this.#speak(piece.spoken, { to, signal });
        else last = await this.#sendPiece(piece, to, signal);
        return last;
      },
    });
  }

  /** The answer is there in words, so one that cannot be spoken is not sent again. Never throws. */
  async #speak(words: string, how: Delivering): Promise<void> {
    const { log, speaker } = this.#needs;
    try {
      const speech = await speaker?.speak(words, how.signal);
      if (!speech) return;
      const { bytes, mime, name = "answer.ogg" } = speech;
      const media = { id: name, mime, name, bytes: bytes.length };
      await this.#upload("sendVoice", [{ media, bytes }], how);
    } catch (error) {
      log.warn({ cause: (error as Error).message }, "An answer on Telegram was sent without its speech.");
    }
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

  #sendPiece(piece: Exclude<Piece, SpokenPiece>, address: ChatAddress, signal: AbortSignal): Promise<Sent> {
    return sentOf(() => this.#followed(address, (to) => this.#deliver(piece, { to, signal })));
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

  #deliver(piece: Exclude<Piece, SpokenPiece>, how: Delivering): Promise<number> {
    if ("album" in piece) return this.#upload("sendMediaGroup", piece.album, how);
    return "text" in piece ? this.#deliverText(piece.text, how) : this.#deliverFile(piece, how);
  }

  /** A form that the platform does not understand is left out, once: an answer must not vanish for its looks. */
  async #deliverText(rich: RichText, { to, signal }: Delivering): Promise<number> {
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

  /** A picture that the platform does not show, as one of 20,000 pixels, goes as a file. */
  async #deliverFile(file: OutgoingFile, how: Delivering): Promise<number> {
    if (!isPhoto(file)) return this.#upload("sendDocument", [file], how);
    try {
      return await this.#upload("sendPhoto", [file], how);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return this.#upload("sendDocument", [file], how);
    }
  }

  async #upload(method: Upload, files: readonly OutgoingFile[], { to, signal }: Delivering): Promise<number> {
    const form = uploadForm(method, files, to);
    const { api } = this.#needs;
    const answer = await api.upload<WireMessage | readonly WireMessage[]>(method, form, {
      signal,
      timeoutMs: 120_000,
    });
    const message = Array.isArray(answer) ? (answer as readonly WireMessage[]).at(-1) : answer;
    return (message as WireMessage).message_id;
  }
}

/** The chat is there and this is not taken; one that has another id now is not refused. */
function isRefusal(error: unknown): error is BotApiFailure {
  return error instanceof BotApiFailure && error.kind === "refused" && error.said.movedTo === undefined;
}
