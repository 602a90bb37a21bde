import type { Inbox, InboundMessage } from "@gantry/sdk";
import { Admission, isForAgent, receiveAll, type AdmissionNeeds } from "@gantry/sdk/channel";
import type { BotApi } from "./bot-api.ts";
import { asAttachment } from "./files.ts";
import type { Questions } from "./questions.ts";
import { readMessage, type Me, type TelegramMessage } from "./read-message.ts";
import { withoutPreview } from "./sent.ts";
import type { Settings } from "./settings.ts";
import type { WireUpdate } from "./wire.ts";

export interface IntakeNeeds extends AdmissionNeeds {
  readonly settings: Settings;
  readonly api: BotApi;
  readonly questions: Questions;
  readonly inbox: Inbox;
}

/** Takes what the platform hands out: presses are answered, messages are on disk when it resolves. */
export class Intake {
  readonly #needs: IntakeNeeds;
  readonly #admission: Admission;

  constructor(needs: IntakeNeeds) {
    this.#needs = needs;
    this.#admission = new Admission("telegram", needs);
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

  async #admit(message: TelegramMessage, signal: AbortSignal): Promise<readonly InboundMessage[]> {
    const { api, people } = this.#needs;
    const { chat } = message.replyTo;
    const admitted = await this.#admission.admit(
      message,
      {
        trust: await people.trust(message.sender.id),
        attachments: message.files.map((file) => asAttachment(file, api)),
        answer: (text) => api.call("sendMessage", { chat_id: chat, text, ...withoutPreview }, { signal }),
      },
      signal,
    );
    return admitted === undefined ? [] : [admitted];
  }
}

/** Pictures that were sent together are one message, with the words that stand at any of them. */
function inAlbums(messages: readonly TelegramMessage[]): readonly TelegramMessage[] {
  const merged: TelegramMessage[] = [];
  for (const message of messages) {
    const at = merged.findIndex((earlier) => isSameAlbum(earlier, message));
    const earlier = merged[at];
    if (earlier === undefined) merged.push(message);
    else
      merged[at] = {
        ...earlier,
        text: [earlier.text, message.text].filter((text) => text !== "").join("\n"),
        quoted: [...earlier.quoted, ...message.quoted],
        forwarded: earlier.forwarded === true || message.forwarded === true,
        files: [...earlier.files, ...message.files],
      };
  }
  return merged;
}

function isSameAlbum(a: TelegramMessage, b: TelegramMessage): boolean {
  return b.album !== undefined && a.album === b.album && a.conversation.id === b.conversation.id;
}
