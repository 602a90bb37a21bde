import type { Logger } from "../contract/logger.ts";
import type { Sent } from "../messages/channel.ts";
import { verbatimParts, type Json } from "../messages/content.ts";
import { approvalTextWithin } from "../turns/approval-text.ts";
import type { ApprovalRequest, Approvals } from "../turns/approval.ts";
import { approvalButtons } from "./approval-buttons.ts";
import type { ChatPlatform, Standing } from "./chat-platform.ts";
import type { LetIn } from "./let-in.ts";
import { OpenQuestions, type ButtonPress, type PressOutcome } from "./open-questions.ts";
import { sentOf } from "./platform-failure.ts";
import type { PlatformMessage } from "./platform-message.ts";
import { plainText } from "./rich-text.ts";

/** Taking buttons away is given up after this. */
const editMs = 10_000;

export interface ChatQuestionNeeds<Address, Message extends PlatformMessage> {
  readonly name: string;
  readonly title: string;
  readonly platform: ChatPlatform<Address, Message>;
  readonly approvals: Approvals;
  readonly people: LetIn;
  readonly log: Logger;
}

/** Questions to a person as messages with buttons, each decided once. */
export class ChatQuestions<Address, Message extends PlatformMessage> {
  readonly #needs: ChatQuestionNeeds<Address, Message>;
  readonly #open: OpenQuestions<Standing<Address>>;

  constructor(needs: ChatQuestionNeeds<Address, Message>) {
    this.#needs = needs;
    const { name, platform } = needs;
    this.#open = new OpenQuestions({
      channel: name,
      ...needs,
      settle: (question, words) =>
        this.#quietly((signal) => platform.edit?.(question, verbatimParts(words), signal)),
    });
  }

  /** Never throws. */
  async ask(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent> {
    const { platform, title } = this.#needs;
    const address = platform.readAddress(to);
    if (!platform.ask || address === undefined)
      return { status: "refused", reason: `it has no address on ${title}` };
    const ask = platform.ask.bind(platform);
    const { max, size = ({ text }) => text.length } = platform.text;
    const text = approvalTextWithin(request, (words) => size(plainText(words)) <= max);
    const delivery = { address, key: `asked ${request.id}`, index: 0, signal };
    return this.#open.ask(request, (stands) =>
      sentOf(async () => {
        const id = String(await ask(text, approvalButtons(request), delivery));
        stands({ address, id });
        return id;
      }),
    );
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    return this.#open.settled(request, decision);
  }

  /** Hands a press on `question` to the host. */
  async press(press: ButtonPress, question: Standing<Address>): Promise<PressOutcome> {
    const outcome = await this.#open.press(press);
    if (outcome.forgotten)
      void this.#quietly((signal) => this.#needs.platform.unbutton?.(question, outcome, signal));
    return outcome;
  }

  async #quietly(edit: (signal: AbortSignal) => Promise<unknown> | undefined): Promise<void> {
    try {
      await edit(AbortSignal.timeout(editMs));
    } catch (error) {
      this.#needs.log.debug({}, `A question keeps its buttons: ${(error as Error).message}`);
    }
  }
}
