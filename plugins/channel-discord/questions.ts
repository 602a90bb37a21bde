import type { ApprovalRequest, Approvals, Json, Logger, Sent } from "@gantry/sdk";
import { approvalTextWithin } from "@gantry/sdk";
import {
  approvalButtons,
  deadButton,
  OpenQuestions,
  plainText,
  sentOf,
  splitVerbatim,
  type LetIn,
  type RichText,
} from "@gantry/sdk/channel";
import type { Nonces } from "./nonces.ts";
import { conversationOf } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { renderMessage } from "./render.ts";
import { maxText } from "./sender.ts";
import { bodyOf, readAddress } from "./sent.ts";
import { isId } from "./snowflake.ts";
import type { WireInteraction, WireMessage } from "./wire.ts";

/** The platform tells the presser of a failure after three seconds: https://docs.discord.com/developers/interactions/receiving-and-responding */
const answerMs = 2_500;
/** Of an interaction: a button was pressed. Of an answer to it: taken, and the message stays as it is. */
const pressed = 3;
const taken = 6;
/** A flag of a message that only the presser sees. */
const forPresser = 1 << 6;
/** Of components: a row, a button; styles of buttons: https://docs.discord.com/developers/components/reference */
const row = 1;
const button = 2;
const styles = { Allow: 3, Deny: 4 } as const;
const otherStyle = 2;
const editMs = 10_000;

/** Where a question stands. */
interface Place {
  readonly channel: string;
  readonly message: string;
}

export interface QuestionNeeds {
  readonly rest: Rest;
  readonly nonces: Nonces;
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
    this.#open = new OpenQuestions({
      channel: "discord",
      ...needs,
      settle: ({ channel, message }, words) => this.#edit(channel, message, { content: plainly(words) }),
    });
  }

  async ask(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined) return { status: "refused", reason: "it has no address on Discord" };
    const { rest, nonces } = this.#needs;
    const nonce = await nonces.of(`asked ${request.id}`, 0);
    const body = {
      ...bodyOf(plainly(approvalTextWithin(request, isShort)), nonce, address.message),
      components: [{ type: row, components: approvalButtons(request).map(buttonOf) }],
    };
    return this.#open.ask(request, (stands) =>
      sentOf(async () => {
        const path = `/channels/${address.channel}/messages`;
        const { id } = await rest.call<WireMessage>("POST", path, { body, signal });
        stands({ channel: address.channel, message: id });
        return id;
      }),
    );
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    return this.#open.settled(request, decision);
  }

  /** Takes a press at once, before any work, then tells the presser what came of it. Never throws. */
  async press(interaction: WireInteraction, signal: AbortSignal): Promise<void> {
    const { rest, log } = this.#needs;
    const { id, token, application_id, type } = interaction;
    if (type !== pressed) return;
    try {
      const path = `/interactions/${id}/${token}/callback`;
      await rest.call("POST", path, { body: { type: taken }, signal, timeoutMs: answerMs });
      const content = await this.#decide(interaction);
      const body = { content, flags: forPresser, allowed_mentions: { parse: [] } };
      await rest.call("POST", `/webhooks/${application_id}/${token}`, { body, signal });
    } catch (error) {
      log.warn({}, `A press of a button was not answered: ${(error as Error).message}`);
    }
  }

  async #decide({ member, user = member?.user, ...interaction }: WireInteraction): Promise<string> {
    const { channel_id: channel, guild_id, message, data } = interaction;
    if (!isId(channel) || !isId(user?.id) || message === undefined) return deadButton;
    const { notice, forgotten } = await this.#open.press({
      data: data?.custom_id ?? "",
      sender: { id: user.id },
      conversation: conversationOf(channel, guild_id),
    });
    if (forgotten) void this.#edit(channel, message.id, {});
    return notice;
  }

  async #edit(channel: string, message: string, change: object): Promise<void> {
    const { rest, log } = this.#needs;
    const body = { ...change, components: [], allowed_mentions: { parse: [] } };
    await rest
      .call("PATCH", `/channels/${channel}/messages/${message}`, {
        body,
        signal: AbortSignal.timeout(editMs),
      })
      .catch((error: Error) => log.debug({}, `A question keeps its buttons: ${error.message}`));
  }
}

function buttonOf({ label, data }: { readonly label: string; readonly data: string }): object {
  const style = styles[label as keyof typeof styles] ?? otherStyle;
  return { type: button, style, label, custom_id: data };
}

/** What is asked has to be seen as it is: nothing in it is a mark, also where it is cut. */
function plainly(text: string): string {
  const [first = plainText(text)] = splitVerbatim(text, { max: maxText, size: sizeOf });
  return renderMessage(first);
}

function isShort(text: string): boolean {
  return sizeOf(plainText(text)) <= maxText;
}

function sizeOf(text: RichText): number {
  return renderMessage(text).length;
}
