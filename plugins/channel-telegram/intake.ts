import {
  textParts,
  type Audit,
  type Inbox,
  type InboundMessage,
  type Logger,
  type Media,
  type Part,
  type Transcriber,
} from "@gantry/sdk";
import {
  isForAgent,
  type LetIn,
  pairByCode,
  receiveAll,
  takeAttachments,
  type KeepBytes,
  type PairingCodes,
} from "@gantry/sdk/channel";
import type { BotApi } from "./bot-api.ts";
import { asAttachment } from "./files.ts";
import type { Questions } from "./questions.ts";
import { readMessage, type Me, type TelegramMessage } from "./read-message.ts";
import { withoutPreview } from "./sent.ts";
import type { Settings } from "./settings.ts";
import type { WireUpdate } from "./wire.ts";

export interface IntakeNeeds {
  readonly settings: Settings;
  readonly api: BotApi;
  readonly people: LetIn;
  readonly questions: Questions;
  readonly inbox: Inbox;
  readonly audit: Audit;
  readonly codes: PairingCodes;
  /** Undefined: bytes are kept nowhere. */
  readonly media: Media | undefined;
  /** Undefined: nobody can tell what is said in a voice message. */
  readonly transcriber: Transcriber | undefined;
  readonly log: Logger;
}

/** Takes what the platform hands out: presses are answered, messages are on disk when it resolves. */
export class Intake {
  readonly #needs: IntakeNeeds;

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
  }

  async take(updates: readonly WireUpdate[], me: Me, signal: AbortSignal): Promise<void> {
    const { questions, inbox } = this.#needs;
    const presses = updates.flatMap(({ callback_query }) => callback_query ?? []);
    const pressed = Promise.all(presses.map((press) => questions.press(press, signal)));

    const said = inAlbums(updates.flatMap((update) => this.#read(update, me)));
    const messages: InboundMessage[] = [];
    for (const message of said) messages.push(...(await this.#admit(message, signal)));
    if (messages.length > 0) await receiveAll(inbox, messages, signal);
    await pressed;
  }

  /** What cannot be read is left out with a line in the log, so that it keeps nothing else back. */
  #read(update: WireUpdate, me: Me): readonly TelegramMessage[] {
    const { settings, log } = this.#needs;
    try {
      const message = update.message && readMessage(update.message, me);
      if (!message) return [];
      const { conversation, mentioned } = message;
      const written = { kind: conversation.kind, group: conversation.id, mentioned };
      return isForAgent(written, settings.groups, settings.groupIds) ? [message] : [];
    } catch (error) {
      const { update_id } = update;
      log.warn({ update_id }, `An update of Telegram was left out, as ${(error as Error).message}.`);
      return [];
    }
  }

  /** The message with the writer's trust. A stranger's goes in as it is: the guard refuses and records it. */
  async #admit(message: TelegramMessage, signal: AbortSignal): Promise<readonly InboundMessage[]> {
    const { people, settings } = this.#needs;
    const trust = await people.trust(message.sender.id);
    if (trust === undefined && settings.pairing && (await this.#pair(message, signal))) return [];
    const attached = trust === undefined ? [] : await this.#attached(message, signal);
    const { id, timestamp, sender, conversation, replyTo, text, quoted, mentioned } = message;
    return [
      {
        channel: "telegram",
        id,
        timestamp,
        sender,
        conversation,
        replyTo: { ...replyTo },
        parts: [...(text === "" ? [] : textParts(text)), ...attached],
        ...(quoted.length > 0 && { quoted }),
        mentioned,
        trust: trust ?? "guest",
      },
    ];
  }

  #attached({ files, sender }: TelegramMessage, signal: AbortSignal): Promise<readonly Part[]> {
    const { api, media, transcriber } = this.#needs;
    const attachments = files.map((file) => asAttachment(file, api));
    const user = `telegram:${sender.id}`;
    const keep: KeepBytes | undefined = media && ((bytes, facts) => media.put(bytes, { ...facts, user }));
    return takeAttachments(attachments, keep, signal, transcriber);
  }

  /** True if it was a code, right or wrong: such a message is nobody's question. */
  async #pair(
    { conversation, sender, text, replyTo }: TelegramMessage,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { audit, codes, people, api, log } = this.#needs;
    if (conversation.kind !== "direct") return false;
    const { id, name = "" } = sender;
    const answer = await pairByCode({
      channel: "telegram",
      people: people.paired,
      codes,
      audit,
      id,
      name,
      text,
    });
    if (answer === undefined) return false;
    await api
      .call("sendMessage", { chat_id: replyTo.chat, text: answer, ...withoutPreview }, { signal })
      .catch((error: Error) => log.warn({}, `An answer about pairing was not sent: ${error.message}`));
    return true;
  }
}

/** Pictures that were sent together are one message, with the words that stand at any of them. */
function inAlbums(messages: readonly TelegramMessage[]): readonly TelegramMessage[] {
  const merged: TelegramMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const isSame =
      last !== undefined &&
      message.album !== undefined &&
      last.album === message.album &&
      last.conversation.id === message.conversation.id;
    if (!isSame) merged.push(message);
    else
      merged[merged.length - 1] = {
        ...last,
        text: [last.text, message.text].filter((text) => text !== "").join("\n"),
        files: [...last.files, ...message.files],
      };
  }
  return merged;
}
