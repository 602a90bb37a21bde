import type { Logger } from "@gantry/sdk";
import { deadButton, type ChatFrame } from "@gantry/sdk/channel";
import type { ChatAddress } from "./address.ts";
import type { BotApi } from "./bot-api.ts";
import { conversationOf, readMessage, type Me, type TelegramMessage } from "./read-message.ts";
import type { WirePress, WireUpdate } from "./wire.ts";

/** The platform shows a spinner until a press is answered. */
const answerMs = 2_000;
/** Of the notice that a presser sees. */
const maxNotice = 200;

export interface UpdateNeeds {
  readonly api: BotApi;
  readonly log: Logger;
  readonly frame: ChatFrame<ChatAddress, TelegramMessage>;
}

/** Takes what the platform hands out: answers presses, brings messages to disk. */
export class Updates {
  readonly #needs: UpdateNeeds;

  constructor(needs: UpdateNeeds) {
    this.#needs = needs;
  }

  async take(updates: readonly WireUpdate[], me: Me, signal: AbortSignal): Promise<void> {
    const { frame } = this.#needs;
    const presses = updates.flatMap(({ callback_query }) => callback_query ?? []);
    const pressed = Promise.all(presses.map((press) => this.#press(press, signal)));

    const said: TelegramMessage[] = [];
    for (const { update_id, message } of updates) {
      const read = await frame.read({ update_id }, () => message && readMessage(message, me));
      if (read) said.push(read);
    }
    await frame.take(inAlbums(said), signal);
    await pressed;
  }

  /** Answers a press at once; who pressed is told what came of it. Never throws. */
  async #press(press: WirePress, signal: AbortSignal): Promise<void> {
    const { api, log } = this.#needs;
    try {
      const notice = await this.#decide(press);
      const body = { callback_query_id: press.id, text: notice.slice(0, maxNotice) };
      await api.call("answerCallbackQuery", body, { signal, timeoutMs: answerMs });
    } catch (error) {
      log.warn({}, `A press of a button was not answered: ${(error as Error).message}`);
    }
  }

  async #decide({ from, message, data = "" }: WirePress): Promise<string> {
    if (message === undefined) return deadButton;
    const sender = { id: String(from.id) };
    const question = { address: { chat_id: message.chat.id }, id: String(message.message_id) };
    const press = { data, sender, conversation: conversationOf(message) };
    return (await this.#needs.frame.press(press, question)).notice;
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
