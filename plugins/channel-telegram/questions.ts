import type { ApprovalRequest, Approvals, Json, Logger, Sent } from "@gantry/sdk";
import { approvalText } from "@gantry/sdk";
import { approvalButtons, isApprovalData, pressApproval, settledText, type LetIn } from "@gantry/sdk/channel";
import type { BotApi } from "./bot-api.ts";
import { conversationOf } from "./read-message.ts";
import { readAddress, sentOf, withoutPreview } from "./sent.ts";
import type { WireMessage, WirePress } from "./wire.ts";

/** The platform shows a spinner until a press is answered. */
const answerMs = 2_000;
/** Of the notice that a presser sees. */
const maxNotice = 200;
const maxText = 4_096;
/** Questions whose messages are remembered; one that is older has long expired. */
const maxOpen = 1_000;

interface Asked {
  readonly request: ApprovalRequest;
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
  readonly #asked = new Map<string, Asked>();

  constructor(needs: QuestionNeeds) {
    this.#needs = needs;
  }

  async ask(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined) return { status: "refused", reason: "it has no address on Telegram" };
    const buttons = approvalButtons(request).map(({ label, data }) => [{ text: label, callback_data: data }]);
    const body = {
      ...address,
      text: approvalText(request).slice(0, maxText),
      ...withoutPreview,
      reply_markup: { inline_keyboard: buttons },
    };
    return sentOf(async () => {
      const { chat, message_id } = await this.#needs.api.call<WireMessage>("sendMessage", body, { signal });
      this.#remember({ request, chat: chat.id, message: message_id });
      return message_id;
    });
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  async settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    const asked = this.#asked.get(request.id);
    if (!this.#asked.delete(request.id) || asked === undefined) return;
    const { api, log } = this.#needs;
    const text = settledText(request, decision).slice(0, maxText);
    const body = { chat_id: asked.chat, message_id: asked.message, text };
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
    const { approvals, people } = this.#needs;
    if (message === undefined || !isApprovalData(data)) return "This button does nothing any more.";
    const trust = (await people.trust(String(from.id))) ?? "guest";
    const [, id = ""] = data.split(":");
    const sender = { id: String(from.id) };
    const presser = { channel: "telegram", sender, conversation: conversationOf(message), trust };
    const asked = this.#asked.get(id);
    const notice = pressApproval(approvals, data, presser);
    const isOpen = approvals.pending().some((request) => request.id === id);
    if (isOpen) return notice;
    if (asked === undefined) this.#takeButtons(message);
    else void this.settled(asked.request, data.endsWith(":deny") ? "deny" : "allow");
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

  #remember(asked: Asked): void {
    this.#asked.set(asked.request.id, asked);
    if (this.#asked.size > maxOpen) this.#asked.delete(this.#asked.keys().next().value as string);
  }
}
