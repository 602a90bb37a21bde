import {
  describeMedia,
  type MediaRef,
  type OutgoingMessage,
  type Part,
  type Sent,
  type Values,
} from "@gantry/sdk";
import {
  describeAttachment,
  readMarkdown,
  sendInParts,
  splitRichText,
  type ChannelHealth,
  type RichText,
} from "@gantry/sdk/channel";
import { DiscordFailure } from "./failure.ts";
import type { Nonces } from "./nonces.ts";
import type { ReplyAddress } from "./read-message.ts";
import { renderMessage } from "./render.ts";
import type { Rest } from "./rest.ts";
import { bodyOf, readAddress, sentOf } from "./sent.ts";
import type { WireMessage } from "./wire.ts";

/** Of one message, with all marks: https://docs.discord.com/developers/resources/message#create-message */
export const maxText = 2_000;
/** Of a file where nobody pays for more: https://docs.discord.com/developers/reference#uploading-files */
const maxFileBytes = 10 * 1024 * 1024;
const uploadMs = 120_000;
const space = "discord.parts";

export interface SenderNeeds {
  readonly rest: Rest;
  readonly nonces: Nonces;
  readonly health: ChannelHealth;
  values(): Values;
  /** The bytes of a piece of media; undefined where they are not kept, or no longer. */
  open(id: string): Promise<Uint8Array | undefined>;
}

type Piece = { readonly text: RichText } | { readonly media: MediaRef; readonly bytes: Uint8Array };

/** Sends replies: text in several messages where it is long, and media as files. */
export class Sender {
  readonly #needs: SenderNeeds;

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  /** Never throws. */
  async send({ to, parts, key }: OutgoingMessage, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined)
      return { status: "refused", reason: `${JSON.stringify(to)} is no address on Discord` };
    return sendInParts({
      values: this.#needs.values(),
      space,
      key,
      parts: await this.#pieces(parts),
      send: (piece, i) => this.#sendPiece(piece, { address, key, i }, signal),
    });
  }

  /** Neighbouring text is one text; media without bytes is a line of it. */
  async #pieces(parts: readonly Part[]): Promise<readonly Piece[]> {
    const pieces: Piece[] = [];
    let text = "";
    const flush = async (): Promise<void> => {
      const rich = await readMarkdown(text);
      for (const piece of splitRichText(rich, { max: maxText, size: sizeOf })) pieces.push({ text: piece });
      text = "";
    };
    for (const part of parts) {
      const bytes = part.type === "media" ? await this.#bytes(part.media) : undefined;
      if (part.type === "media" && bytes !== undefined && bytes.length <= maxFileBytes) {
        await flush();
        pieces.push({ media: part.media, bytes });
      } else if (part.type === "media") text += `\n${inWords(part.media, bytes)}`;
      else if (part.type === "text") text += `${text === "" ? "" : "\n"}${part.text}`;
    }
    await flush();
    return pieces;
  }

  #bytes({ id }: MediaRef): Promise<Uint8Array | undefined> {
    return this.#needs.open(id).catch(() => undefined);
  }

  /** Only the first message of an answer names the question. */
  async #sendPiece(
    piece: Piece,
    { address, key, i }: { readonly address: ReplyAddress; readonly key: string; readonly i: number },
    signal: AbortSignal,
  ): Promise<Sent> {
    const nonce = await this.#needs.nonces.of(key, i);
    const answers = i === 0 ? address.message : undefined;
    return sentOf(async () => {
      try {
        const { id } = await this.#deliver(piece, { address, nonce, answers }, signal);
        return id;
      } catch (error) {
        this.#tell(error);
        throw error;
      }
    });
  }

  #deliver(
    piece: Piece,
    given: { readonly address: ReplyAddress; readonly nonce: string; readonly answers: string | undefined },
    signal: AbortSignal,
  ): Promise<WireMessage> {
    const { address, nonce, answers } = given;
    const path = `/channels/${address.channel}/messages`;
    const { rest } = this.#needs;
    if ("text" in piece) return this.#deliverText(piece.text, path, { nonce, answers }, signal);
    const { mime, name = "file" } = piece.media;
    const file = new Blob([piece.bytes as Uint8Array<ArrayBuffer>], { type: mime });
    const body = { ...bodyOf("", nonce, answers), attachments: [{ id: 0, filename: name }] };
    return rest.call("POST", path, { body, files: [file], names: [name], signal, timeoutMs: uploadMs });
  }

  /** A form that the platform does not understand is left out, once: an answer must not vanish for its looks. */
  async #deliverText(
    rich: RichText,
    path: string,
    { nonce, answers }: { readonly nonce: string; readonly answers: string | undefined },
    signal: AbortSignal,
  ): Promise<WireMessage> {
    const { rest } = this.#needs;
    const send = (text: string): Promise<WireMessage> =>
      rest.call("POST", path, { body: bodyOf(text, nonce, answers), signal });
    try {
      return await send(renderMessage(rich));
    } catch (error) {
      if (!(error instanceof DiscordFailure) || error.kind !== "form") throw error;
      return send(rich.text.toWellFormed());
    }
  }

  #tell(error: unknown): void {
    if (!(error instanceof DiscordFailure)) return;
    if (error.kind === "account") this.#needs.health.refused(error.message);
    if (error.kind === "paused") this.#needs.health.notices(error.message);
  }
}

function sizeOf(piece: RichText): number {
  return renderMessage(piece).length;
}

/** One honest line for what does not go out. */
function inWords(media: MediaRef, bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return describeMedia(media);
  const load = async (): Promise<Uint8Array> => bytes;
  const attachment = { kind: "file", ...media, load };
  return describeAttachment(attachment, "not sent, more than 10 MiB");
}
