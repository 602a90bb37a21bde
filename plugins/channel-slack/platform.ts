import { isVerbatim, textOf, type CheckRow, type Json, type Part } from "@gantry/sdk";
import {
  escapeMrkdwn,
  KnownPlaces,
  plainText,
  PlatformFailure,
  renderBlocks,
  renderMrkdwn,
  type ApprovalButton,
  type Attachment,
  type ChatFrame,
  type ChatHost,
  type ChatPlatform,
  type Delivery,
  type OutgoingPiece,
  type PressOutcome,
  type RichText,
  type Standing,
} from "@gantry/sdk/channel";
import { placeOf, readAddress, type SlackAddress } from "./address.ts";
import { accountOf, platformRows } from "./checks.ts";
import { asAttachment } from "./files.ts";
import { Listener } from "./listener.ts";
import { keyOf, Messages, type Place } from "./messages.ts";
import { Posting } from "./posting.ts";
import type { SlackMessage } from "./read-message.ts";
import type { Settings } from "./settings.ts";
import { Surroundings } from "./surroundings.ts";
import type { Params, WebApi } from "./web-api.ts";
import { codeOf } from "./web-failure.ts";
import type { WireFile } from "./wire.ts";
import { Working } from "./working.ts";

/**
 * Slack asks for no more than 4,000 characters in a message:
 * https://docs.slack.dev/reference/methods/chat.postMessage
 */
const maxText = 3_900;
/** Slack cuts what is put in place of a message at 4,000 bytes. */
const maxEdited = 1_000;
/** A place that was silent for longer than this is forgotten. */
const placeLifeMs = 30 * 86_400_000;

type To = Delivery<SlackAddress>;

/** Slack, by its Web API and Socket Mode. */
export class SlackPlatform implements ChatPlatform<SlackAddress, SlackMessage> {
  readonly #settings: Settings;
  readonly #api: WebApi;
  readonly #host: ChatHost;
  #places: KnownPlaces<Place> | undefined;
  readonly #posting: Posting;
  readonly #surroundings: Surroundings;
  readonly #working: Working;
  readonly text = { max: maxText, size: sizeOf };
  readonly messageForm: RegExp = /^\d{1,12}\.\d{6}$/;

  constructor(settings: Settings, api: WebApi, host: ChatHost) {
    this.#settings = settings;
    this.#api = api;
    this.#host = host;
    this.#posting = new Posting(api);
    this.#surroundings = new Surroundings(api, host.log);
    this.#working = new Working(api);
  }

  readAddress(to: Json): SlackAddress | undefined {
    return readAddress(to);
  }

  receive(frame: ChatFrame<SlackAddress, SlackMessage>): Listener {
    const { replyInThread } = this.#settings;
    const places = new KnownPlaces<Place>(this.#host.values, "slack.places", placeLifeMs);
    this.#places = places;
    const needs = { ...this.#host, api: this.#api, frame, places, replyInThread };
    return new Listener({ ...needs, messages: new Messages(needs) });
  }

  attachment(file: WireFile): Attachment {
    return asAttachment(file, this.#api);
  }

  /**
   * With the writer's name, and with what others wrote in a thread before the app was asked there.
   */
  async surrounded(message: SlackMessage, signal: AbortSignal): Promise<SlackMessage> {
    const { sender } = message;
    const name = await this.#surroundings.nameOf(sender.id, signal);
    const { channel, thread = message.ts } = message.replyTo;
    const isNew = thread !== message.ts && !(await this.#places?.get(keyOf({ channel, thread })));
    const before = isNew ? await this.#surroundings.threadBefore(message, signal) : [];
    return {
      ...message,
      sender: { ...sender, ...(name !== undefined && { name }) },
      quoted: [...before, ...message.quoted],
    };
  }

  async send(piece: OutgoingPiece, to: To): Promise<string> {
    if ("text" in piece) {
      // If blocks are not understood, marks would be read in the text.
      const unread = piece.verbatim ? { mrkdwn: false } : {};
      return this.#posting.post(formsOf(piece.text, unread), to);
    }
    const comment = escapeMrkdwn(piece.media.alt ?? "")
      .slice(0, maxText)
      .toWellFormed();
    try {
      return await this.#posting.share(piece, comment, to);
    } catch (error) {
      // Texts need no such scope, so the account is not refused.
      if (codeOf(error) !== "missing_scope") throw error;
      throw new PlatformFailure("refused", (error as Error).message);
    }
  }

  find(to: To): Promise<string | undefined> {
    return this.#posting.find(to);
  }

  async edit(message: Standing<SlackAddress>, parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const words = textOf(parts);
    const text = escapeMrkdwn(words).slice(0, maxEdited).toWellFormed();
    await this.#update(message, isVerbatim(parts) ? shown(words) : { text, blocks: [] }, signal);
  }

  async ask(text: string, buttons: readonly ApprovalButton[], { address, signal }: To): Promise<string> {
    const elements = buttons.map(({ label, data }) => ({
      type: "button",
      text: { type: "plain_text", text: label },
      action_id: data,
      value: data,
    }));
    const body = { ...placeOf(address), ...shown(text, { type: "actions", elements }) };
    return (await this.#api.call<{ ts: string }>("chat.postMessage", body, { signal })).ts;
  }

  /** The host edits the question that a press has decided. */
  async unbutton(
    message: Standing<SlackAddress>,
    { decided, notice }: PressOutcome,
    signal: AbortSignal,
  ): Promise<void> {
    if (!decided) await this.#update(message, shown(notice), signal);
  }

  typing(address: SlackAddress, signal: AbortSignal): Promise<void> {
    return this.#working.show(address, signal);
  }

  account(): string {
    return accountOf(this.#settings);
  }

  check(signal: AbortSignal): Promise<readonly CheckRow[]> {
    return platformRows(this.#api, signal);
  }

  async #update({ address, id }: Standing<SlackAddress>, body: Params, signal: AbortSignal): Promise<void> {
    await this.#api.call("chat.update", { channel: address.channel, ts: id, ...body }, { signal });
  }
}

/**
 * Returns a message with its forms as data, and one for a reader without them: marks in the text.
 */
function formsOf(rich: RichText, more: Params): readonly Params[] {
  const text = renderMrkdwn(rich).toWellFormed();
  const plain = { text, unfurl_links: false, unfurl_media: false, ...more };
  const block = renderBlocks(rich);
  return block === undefined ? [plain] : [{ ...plain, blocks: [block] }, plain];
}

/** Returns words of ours that hold what others wrote: none of it is a form, a mention or a link. */
function shown(words: string, ...more: readonly object[]): Params {
  const text = plainText(words.slice(0, maxText));
  const block = renderBlocks(text);
  return {
    text: renderMrkdwn(text).toWellFormed().slice(0, maxText),
    blocks: [...(block === undefined ? [] : [block]), ...more],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function sizeOf(piece: RichText): number {
  return renderMrkdwn(piece).length;
}
