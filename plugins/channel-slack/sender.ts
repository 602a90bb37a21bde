import { textOf, type EditedMessage, type OutgoingMessage, type Sent } from "@gantry/sdk";
import {
  escapeMrkdwn,
  inWords,
  outgoingPieces,
  PlatformFailure,
  renderBlocks,
  renderMrkdwn,
  sendInParts,
  sentOf,
  type ChannelHealth,
  type OutgoingPiece,
  type PieceOptions,
  type RichText,
} from "@gantry/sdk/channel";
import { isTs, readAddress, type SlackAddress } from "./address.ts";
import type { Posting, PostingNeeds } from "./posting.ts";
import type { Params } from "./web-api.ts";
import { codeOf, SlackFailure } from "./web-failure.ts";

/** Slack asks for no more than 4,000 signs in a message: https://docs.slack.dev/reference/methods/chat.postMessage */
export const maxText = 3_900;
/** Slack cuts what is put in place of a message at 4,000 bytes. */
const maxEdited = 1_000;
const space = "slack.parts";

export interface SenderNeeds extends Pick<PostingNeeds, "values"> {
  readonly posting: Posting;
  readonly health: ChannelHealth;
  readonly open: PieceOptions["open"];
}

/** Sends replies: text with its forms, in several messages where it is long, and media as files. */
export class Sender {
  readonly #needs: SenderNeeds;

  constructor(needs: SenderNeeds) {
    this.#needs = needs;
  }

  /** Never throws. */
  async send({ to, parts, key }: OutgoingMessage, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined)
      return { status: "refused", reason: `${JSON.stringify(to)} is no address on Slack` };
    return sendInParts({
      values: this.#needs.values(),
      space,
      key,
      parts: await outgoingPieces(parts, { open: this.#needs.open, max: maxText, size: sizeOf }),
      instead: inWords,
      send: (piece, i) => sentOf(() => this.#deliver(`${key}#${i}`, piece, address, signal)),
    });
  }

  /** Never throws. What is too long for one message is cut. */
  async edit({ to, id, parts }: EditedMessage, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined || !isTs(id))
      return { status: "refused", reason: `${JSON.stringify(id)} is no message on Slack` };
    const text = escapeMrkdwn(textOf(parts)).slice(0, maxEdited).toWellFormed();
    return sentOf(async () => {
      await this.#needs.posting.update({ channel: address.channel, ts: id, text, blocks: [] }, signal);
      return id;
    });
  }

  async #deliver(key: string, piece: OutgoingPiece, to: SlackAddress, signal: AbortSignal): Promise<string> {
    const { posting, health } = this.#needs;
    try {
      if ("text" in piece) {
        // Where blocks are not understood, marks would be read in the text.
        const unread = piece.verbatim ? { mrkdwn: false } : {};
        return await posting.post(key, to, formsOf(piece.text, unread), signal);
      }
      const { name = "file", alt = "" } = piece.media;
      const comment = escapeMrkdwn(alt).slice(0, maxText).toWellFormed();
      return await posting.share(key, to, { name, bytes: piece.bytes, comment }, signal);
    } catch (error) {
      // Texts need no such scope, so the account is not refused.
      if (!("text" in piece) && error instanceof Error && codeOf(error) === "missing_scope")
        throw new SlackFailure("refused", error.message, "missing_scope");
      if (error instanceof PlatformFailure && error.kind === "account") health.refused(error.message);
      throw error;
    }
  }
}

/** A message with its forms as data, and the same for where that is not understood: marks in the text. */
export function formsOf(rich: RichText, more: Params = {}): readonly Params[] {
  const text = renderMrkdwn(rich).toWellFormed();
  const plain = { text, unfurl_links: false, unfurl_media: false };
  const block = renderBlocks(rich);
  return block === undefined
    ? [{ ...plain, ...more }]
    : [
        { ...plain, blocks: [block], ...more },
        { ...plain, ...more },
      ];
}

function sizeOf(piece: RichText): number {
  return renderMrkdwn(piece).length;
}
