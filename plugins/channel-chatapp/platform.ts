import type { CheckRow, Json, Route } from "@gantry/sdk";
import {
  copyRoom,
  showWorking,
  type ChatFrame,
  type ChatHost,
  type ChatPlatform,
  type Delivery,
  type OutgoingPiece,
} from "@gantry/sdk/channel";
import { readAddress, type ChatAddress } from "./address.ts";
import type { Graph } from "./graph.ts";
import { literal } from "./literal.ts";
import type { ChatappMessage } from "./payload.ts";
import { lengthOf, renderCaption, renderChat } from "./render.ts";
import type { Settings } from "./settings.ts";
import { unsigned, webhookRoutes } from "./webhook.ts";

/** The platform's bounds, in characters: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
const maxText = 4_096 - copyRoom;
const maxCaption = 1_024;
/** A picture is shown up to this size; a larger one goes as a file. */
const maxImageBytes = 5 * 1024 * 1024;
/** The platform's indicator fades after 25 seconds. */
const typingMs = 20_000;

/** The chat app, by its webhook and its graph API. */
export class ChatappPlatform implements ChatPlatform<ChatAddress, ChatappMessage> {
  readonly #settings: Settings;
  readonly #graph: Graph;
  readonly #host: ChatHost;
  readonly text = { max: maxText, size: (piece: Parameters<typeof lengthOf>[0]) => lengthOf(piece, literal) };

  constructor(settings: Settings, graph: Graph, host: ChatHost) {
    this.#settings = settings;
    this.#graph = graph;
    this.#host = host;
  }

  readAddress(to: Json): ChatAddress | undefined {
    return readAddress(to);
  }

  routes(frame: ChatFrame<ChatAddress, ChatappMessage>): readonly Route[] {
    return webhookRoutes(this.#settings, frame, this.#host.log);
  }

  async send(piece: OutgoingPiece, { address: { to }, signal }: Delivery<ChatAddress>): Promise<string> {
    const graph = this.#graph;
    if ("text" in piece) {
      const body = piece.verbatim ? literal(piece.text.text) : renderChat(piece.text);
      return graph.send(to, { type: "text", text: { preview_url: false, body } }, signal);
    }
    const { mime, name = "file", alt = "" } = piece.media;
    const id = await graph.upload(piece.bytes, { mime, name }, signal);
    const caption = alt === "" ? {} : { caption: renderCaption(alt).slice(0, maxCaption).toWellFormed() };
    const isImage = /^image\/(?:png|jpeg)$/.test(mime) && piece.bytes.length <= maxImageBytes;
    if (isImage) return graph.send(to, { type: "image", image: { id, ...caption } }, signal);
    return graph.send(to, { type: "document", document: { id, filename: name, ...caption } }, signal);
  }

  async typing({ message }: ChatAddress, signal: AbortSignal): Promise<void> {
    if (message === undefined) return;
    // The message was read, however soon it is answered: only the next indicator is left out.
    await showWorking(typingMs, signal, () => this.#graph.working(message, AbortSignal.timeout(typingMs)));
  }

  account(): readonly CheckRow[] {
    const { origin } = new URL(this.#graph.address());
    const account: CheckRow = {
      what: "chatapp account",
      state: "ok",
      detail: `an access token for ${origin}`,
    };
    const what = "chatapp signature";
    if (this.#settings.appSecret !== undefined)
      return [account, { what, state: "ok", detail: "every delivery is checked" }];
    const [detail = "", cure = ""] = unsigned.split(": ");
    return [account, { what, state: "warn", detail, cure }];
  }

  async check(signal: AbortSignal): Promise<readonly CheckRow[]> {
    await this.#graph.check(signal);
    const detail = `the platform knows the phone number id ${this.#settings.phoneNumberId}`;
    return [{ what: "chatapp", state: "ok", detail }];
  }
}
