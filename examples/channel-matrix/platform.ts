import { createHash } from "node:crypto";
import type { CheckRow, Json } from "@gantry/sdk";
import {
  PlatformFailure,
  renderHtml,
  showWorking,
  type Attachment,
  type ChatFrame,
  type ChatHost,
  type ChatPlatform,
  type Delivery,
  type OutgoingPiece,
} from "@gantry/sdk/channel";
import type { MatrixApi } from "./api.ts";
import type { RoomAddress, RoomMessage } from "./read-events.ts";
import { Receiver } from "./receiver.ts";
import type { Settings } from "./settings.ts";

/** The sign fades after this long, and is renewed a little earlier. */
const typingMs = 20_000;

/** Rooms of a homeserver. Answers are notices, which other bots do not answer. */
export class MatrixPlatform implements ChatPlatform<RoomAddress, RoomMessage> {
  readonly #settings: Settings;
  readonly #api: MatrixApi;
  readonly #host: ChatHost;
  /** An event may have 64 KiB, and HTML is longer than its text. */
  readonly text = { max: 8_000 };
  /** By the name of the transaction. */
  readonly sendsOnce = true;

  constructor(settings: Settings, api: MatrixApi, host: ChatHost) {
    this.#settings = settings;
    this.#api = api;
    this.#host = host;
  }

  readAddress(to: Json): RoomAddress | undefined {
    const { room, thread } = Object(to) as { room?: unknown; thread?: unknown };
    if (typeof room !== "string") return undefined;
    return { room, ...(typeof thread === "string" && { thread }) };
  }

  receive(frame: ChatFrame<RoomAddress, RoomMessage>): Receiver {
    return new Receiver({ ...this.#host, api: this.#api, settings: this.#settings, frame });
  }

  attachment(file: Attachment): Attachment {
    return file;
  }

  async send(piece: OutgoingPiece, to: Delivery<RoomAddress>): Promise<string> {
    if (!("text" in piece)) throw new PlatformFailure("refused", "this channel sends no files");
    const { thread } = to.address;
    const inThread =
      thread === undefined ? {} : { "m.relates_to": { rel_type: "m.thread", event_id: thread } };
    const plain = { msgtype: "m.notice", body: piece.text.text, ...inThread };
    if (piece.verbatim) return this.#put("", plain, to);
    const formatted_body = renderHtml(piece.text, { breaks: true });
    try {
      return await this.#put("", { ...plain, format: "org.matrix.custom.html", formatted_body }, to);
    } catch (error) {
      // A form that the homeserver does not understand: the answer must not vanish for its looks.
      if (!(error instanceof PlatformFailure) || error.kind !== "form") throw error;
      return this.#put(":plain", plain, to);
    }
  }

  async typing({ room }: RoomAddress, signal: AbortSignal): Promise<void> {
    const me = await this.#api.whoAmI(signal);
    const path = `/rooms/${encodeURIComponent(room)}/typing/${encodeURIComponent(me)}`;
    await showWorking(typingMs - 2_000, signal, async (now) => {
      await this.#api.call("PUT", path, now, { typing: true, timeout: typingMs });
    });
  }

  account(): string {
    return `an access token for ${new URL(this.#settings.address()).origin}`;
  }

  async check(signal: AbortSignal): Promise<readonly CheckRow[]> {
    const detail = `the homeserver knows ${await this.#api.whoAmI(signal)}`;
    return [{ what: "matrix", state: "ok", detail }];
  }

  /** The transaction's name makes every try the same message. */
  async #put(form: string, content: object, to: Delivery<RoomAddress>): Promise<string> {
    const { address, key, index, signal } = to;
    const name = `${key}:${index}${form}`;
    const transaction = createHash("sha256").update(name).digest("hex").slice(0, 32);
    const path = `/rooms/${encodeURIComponent(address.room)}/send/m.room.message/${transaction}`;
    return (await this.#api.call<{ event_id: string }>("PUT", path, signal, content)).event_id;
  }
}
