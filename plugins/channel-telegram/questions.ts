import type { ApprovalRequest, Approvals, Json, Logger, Sent } from "@gantry/sdk";
import { approvalTextWithin } from "@gantry/sdk";
import { approvalButtons, deadButton, OpenQuestions, sentOf, type LetIn } from "@gantry/sdk/channel";
import type { BotApi } from "./bot-api.ts";
import { conversationOf } from "./read-message.ts";
import { readAddress, withoutPreview } from "./sent.ts";
import type { WireMessage, WirePress } from "./wire.ts";

/** The platform shows a spinner until a press is answered. */
const answerMs = 2_000;
/** Of the notice that a presser sees. */
const maxNotice = 200;
const maxText = 4_096;

/** Where a question stands. */
interface Place {
  readonly chat: number;
  readonly message: number;
}

export interface QuestionNeeds {
  readonly api: BotApi;
  readonly approvals: Approvals;
  readonly people: LetIn;
  readonly log: Logger;
}

/** Questions to a person as messages with buttons. */
export class Questions {
  readonly #needs: QuestionNeeds;
  readonly #open: OpenQuestions<Place>;

  constructor(needs: QuestionNeeds) {
    this.#needs = needs;
    const settle = (place: Place, words: string): Promise<void> => this.#settle(place, words);
    this.#open = new OpenQuestions({ channel: "telegram", ...needs, settle });
  }

  async ask(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined) return { status: "refused", reason: "it has no address on Telegram" };
    const buttons = approvalButtons(request).map(({ label, data }) => [{ text: label, callback_data: data }]);
    const body = {
      ...address,
      text: approvalTextWithin(request, ({ length }) => length <= maxText).slice(0, maxText),
      ...withoutPreview,
      reply_markup: { inline_keyboard: buttons },
    };
    return this.#open.ask(request, (stands) =>
      sentOf(async () => {
        const { chat, message_id } = await this.#needs.api.call<WireMessage>("sendMessage", body, { signal });
        stands({ chat: chat.id, message: message_id });
        return message_id;
      }),
    );
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    return this.#open.settled(request, decision);
  }

  async #settle({ chat, message }: Place, words: string): Promise<void> {
    const { api, log } = this.#needs;
    const body = { chat_id: chat, message_id: message, text: words.slice(0, maxText) };
    await api
      .call("editMessageText", body, { signal: AbortSignal.timeout(10_000) })
      .catch((error: Error) => log.debug({}, `A question keeps its buttons: ${error.message}`));
  }

  /** Answers a press at once; who pressed is told what came of it. Never throws. */
  async press(press: WirePress, signal: AbortSignal): Promise<void> {
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
    const press = { data, sender, conversation: conversationOf(message) };
    const { notice, forgotten } = await this.#open.press(press);
    if (forgotten) this.#takeButtons(message);
    return notice;
  }

  /** Of a question that an earlier process asked. */
  #takeButtons({ chat, message_id }: WireMessage): void {
    const body = { chat_id: chat.id, message_id, reply_markup: { inline_keyboard: [] } };
    const { api, log } = this.#needs;
    void api
      .call("editMessageReplyMarkup", body, { signal: AbortSignal.timeout(10_000) })
      .catch((error: Error) => log.debug({}, `A question keeps its buttons: ${error.message}`));
  }
}
