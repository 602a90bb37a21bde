import { textOf, type Json, type Part, type Speech } from "@gantry/sdk";
import {
  copyRoom,
  PlatformFailure,
  renderEntities,
  showWorking,
  type Albums,
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
import { readAddress, withoutPreview, withoutQuote, type ChatAddress } from "./address.ts";
import { BotApiFailure, type BotApi } from "./bot-api.ts";
import { accountOf, platformRows } from "./checks.ts";
import { asAttachment, type FileOfMessage } from "./files.ts";
import { Poller } from "./poller.ts";
import type { TelegramMessage } from "./read-message.ts";
import type { Settings } from "./settings.ts";
import { isPhoto, uploadForm, type Upload } from "./uploads.ts";
import type { WireMessage } from "./wire.ts";

/** Bounds of one message: UTF-16 units of the text; forms in it; files of an album. */
const maxText = 4_096;
const maxEntities = 100;
const maxFiles = 10;
/** The platform's indicator fades after five seconds. */
const typingMs = 4_000;
const uploadMs = 120_000;

type To = Delivery<ChatAddress>;

/** Telegram, by its Bot API. */
export class TelegramPlatform implements ChatPlatform<ChatAddress, TelegramMessage> {
  readonly #settings: Settings;
  readonly #api: BotApi;
  readonly #host: ChatHost;
  readonly text: { readonly max: number } = { max: maxText - copyRoom };
  readonly messageForm: RegExp = /^[1-9]\d{0,14}$/;
  readonly albums: Albums<ChatAddress>;

  constructor(settings: Settings, api: BotApi, host: ChatHost) {
    this.#settings = settings;
    this.#api = api;
    this.#host = host;
    this.albums = {
      holds: (album, file) => album.length < maxFiles && isPhoto(album[0] as OutgoingFile) === isPhoto(file),
      send: (album, to) => this.#upload("sendMediaGroup", album, to),
    };
  }

  readAddress(to: Json): ChatAddress | undefined {
    return readAddress(to);
  }

  receive(frame: ChatFrame<ChatAddress, TelegramMessage>): Poller {
    return new Poller({ api: this.#api, ...this.#host, frame });
  }

  attachment(file: FileOfMessage): Attachment {
    return asAttachment(file, this.#api);
  }

  send(piece: OutgoingPiece, to: To): Promise<number> {
    if (!("text" in piece)) return this.#sendFile(piece, to);
    return this.#followed(to, (now) => this.#sendText(piece.text, now));
  }

  speak({ bytes, mime, name = "answer.ogg" }: Speech, to: To): Promise<number> {
    const media = { id: name, mime, name, bytes: bytes.length };
    return this.#upload("sendVoice", [{ media, bytes }], to);
  }

  async edit(
    { address, id }: Standing<ChatAddress>,
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<void> {
    const text = textOf(parts).slice(0, maxText).toWellFormed();
    const { chat_id } = address;
    const body = { chat_id, message_id: Number(id), text, ...withoutPreview };
    await this.#api.call("editMessageText", body, { signal }).catch((error: Error) => {
      if (!/message is not modified/.test(error.message)) throw error;
    });
  }

  async ask(text: string, buttons: readonly ApprovalButton[], { address, signal }: To): Promise<number> {
    const keys = buttons.map(({ label, data }) => [{ text: label, callback_data: data }]);
    const question = { text: text.slice(0, maxText), ...withoutPreview };
    const body = { ...address, ...question, reply_markup: { inline_keyboard: keys } };
    return (await this.#api.call<WireMessage>("sendMessage", body, { signal })).message_id;
  }

  unbutton({ address, id }: Standing<ChatAddress>, _: unknown, signal: AbortSignal): Promise<unknown> {
    const { chat_id } = address;
    const body = { chat_id, message_id: Number(id), reply_markup: { inline_keyboard: [] } };
    return this.#api.call("editMessageReplyMarkup", body, { signal });
  }

  typing(address: ChatAddress, signal: AbortSignal): Promise<void> {
    const body = { ...withoutQuote(address), action: "typing" };
    return showWorking(typingMs, signal, async (now) => {
      await this.#api.call("sendChatAction", body, { signal: now });
    });
  }

  account(): string {
    return accountOf(this.#settings);
  }

  check(signal: AbortSignal): ReturnType<typeof platformRows> {
    return platformRows(this.#settings, this.#api, signal);
  }

  /** Sends to where a group went: one that became a supergroup has another id. Tries it once. */
  async #followed({ address, ...to }: To, send: (to: To) => Promise<number>): Promise<number> {
    try {
      return await send({ ...to, address: to.index === 0 ? address : withoutQuote(address) });
    } catch (error) {
      if (!(error instanceof BotApiFailure) || error.said.movedTo === undefined) throw error;
      return send({ ...to, address: { chat_id: error.said.movedTo } });
    }
  }

  /** Sends words; a form that the platform does not understand is left out, once. */
  async #sendText(rich: RichText, { address, signal }: To): Promise<number> {
    const plain = { ...address, text: rich.text, ...withoutPreview };
    const entities = renderEntities(rich, maxEntities);
    const send = async (body: object): Promise<number> =>
      (await this.#api.call<WireMessage>("sendMessage", body, { signal })).message_id;
    try {
      return await send(entities.length > 0 ? { ...plain, entities } : plain);
    } catch (error) {
      if (!(error instanceof PlatformFailure) || error.kind !== "form") throw error;
      return send(plain);
    }
  }

  /** Sends a file; a picture that the platform does not show goes as a document. */
  async #sendFile(file: OutgoingFile, to: To): Promise<number> {
    if (!isPhoto(file)) return this.#upload("sendDocument", [file], to);
    try {
      return await this.#upload("sendPhoto", [file], to);
    } catch (error) {
      if (!(error instanceof BotApiFailure) || error.kind !== "refused") throw error;
      return this.#upload("sendDocument", [file], to);
    }
  }

  #upload(method: Upload, files: readonly OutgoingFile[], to: To): Promise<number> {
    return this.#followed(to, async ({ address, signal }) => {
      const form = uploadForm(method, files, address);
      const options = { signal, timeoutMs: uploadMs };
      const answer = await this.#api.call<WireMessage | WireMessage[]>(method, form, options);
      return ([answer].flat().at(-1) as WireMessage).message_id;
    });
  }
}
