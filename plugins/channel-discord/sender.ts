import {
  isVerbatim,
  textOf,
  type EditedMessage,
  type MediaRef,
  type OutgoingMessage,
  type Sent,
  type Values,
} from "@gantry/sdk";
import {
  describeAttachment,
  inWords,
  outgoingPieces,
  plainText,
  PlatformFailure,
  readMarkdown,
  sendInParts,
  sentOf,
  type ChannelHealth,
  type OutgoingPiece,
  type PieceOptions,
  type RichText,
} from "@gantry/sdk/channel";
import type { Nonces } from "./nonces.ts";
import type { ReplyAddress } from "./read-message.ts";
import { renderMessage } from "./render.ts";
import type { Rest } from "./rest.ts";
import { bodyOf, readAddress } from "./sent.ts";
import { isId } from "./snowflake.ts";
import type { WireMessage } from "./wire.ts";

/** Of one message, with all marks: https://docs.discord.com/developers/resources/message#create-message */
export const maxText = 2_000;
/** Of a file where nobody pays for more: https://docs.discord.com/developers/reference#uploading-files */
const maxFileBytes = 10 * 1024 * 1024;
/** Of what is read out of a picture: https://docs.discord.com/developers/resources/message#attachment-object */
const maxDescription = 1_024;
const uploadMs = 120_000;
const space = "discord.parts";

export interface SenderNeeds {
  readonly rest: Rest;
  readonly nonces: Nonces;
  readonly health: ChannelHealth;
  values(): Values;
  readonly open: PieceOptions["open"];
}

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
      parts: await outgoingPieces(parts, {
        open: this.#needs.open,
        max: maxText,
        size: sizeOf,
        asWords: whereTooLarge,
      }),
      instead: inWords,
      send: (piece, i) => this.#sendPiece(piece, { address, key, i }, signal),
    });
  }

  /** Never throws. What is too long for one message is cut. */
  async edit({ to, id, parts }: EditedMessage, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined || !isId(id))
      return { status: "refused", reason: `${JSON.stringify(id)} is no message on Discord` };
    const words = textOf(parts);
    const text = isVerbatim(parts) ? plainText(words) : await readMarkdown(words);
    const content = renderMessage(text).slice(0, maxText).toWellFormed();
    // A question that is edited was decided: its buttons go.
    const body = { content, components: [], allowed_mentions: { parse: [] } };
    return sentOf(async () => {
      await this.#needs.rest.call("PATCH", `/channels/${address.channel}/messages/${id}`, { body, signal });
      return id;
    });
  }

  /** Only the first message of an answer names the question. */
  async #sendPiece(
    piece: OutgoingPiece,
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
    piece: OutgoingPiece,
    given: { readonly address: ReplyAddress; readonly nonce: string; readonly answers: string | undefined },
    signal: AbortSignal,
  ): Promise<WireMessage> {
    const { address, nonce, answers } = given;
    const path = `/channels/${address.channel}/messages`;
    const { rest } = this.#needs;
    if ("text" in piece) return this.#deliverText(piece, path, { nonce, answers }, signal);
    const { mime, name = "file", alt = "" } = piece.media;
    const file = new Blob([piece.bytes as Uint8Array<ArrayBuffer>], { type: mime });
    const caption = renderMessage(plainText(alt)).slice(0, maxText).toWellFormed();
    const description = alt.slice(0, maxDescription).toWellFormed();
    const attachment = { id: 0, filename: name, ...(alt !== "" && { description }) };
    const body = { ...bodyOf(caption, nonce, answers), attachments: [attachment] };
    return rest.call("POST", path, { body, files: [file], names: [name], signal, timeoutMs: uploadMs });
  }

  /**
   * A form that the platform does not understand is left out, once: an answer must not vanish for its looks. Without its escapes
   * a verbatim text would be another one.
   */
  async #deliverText(
    { text: rich, verbatim }: { readonly text: RichText; readonly verbatim?: true },
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
      if (!(error instanceof PlatformFailure) || error.kind !== "form" || verbatim) throw error;
      return send(rich.text.toWellFormed());
    }
  }

  #tell(error: unknown): void {
    if (!(error instanceof PlatformFailure)) return;
    if (error.kind === "account") this.#needs.health.refused(error.message);
    if (error.kind === "paused") this.#needs.health.notices(error.message);
  }
}

function sizeOf(piece: RichText): number {
  return renderMessage(piece).length;
}

/** One honest line for a file that the platform does not take. */
function whereTooLarge(media: MediaRef, bytes: Uint8Array): string | undefined {
  if (bytes.length <= maxFileBytes) return undefined;
  const load = async (): Promise<Uint8Array> => bytes;
  const attachment = { kind: "file", ...media, load };
  return describeAttachment(attachment, "not sent, more than 10 MiB");
}
