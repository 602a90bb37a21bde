import type { ApprovalRequest, Approvals, Json, Logger, Sent } from "@gantry/sdk";
import { approvalText } from "@gantry/sdk";
import { approvalButtons, isApprovalData, pressApproval, settledText, type LetIn } from "@gantry/sdk/channel";
import type { Nonces } from "./nonces.ts";
import { conversationOf } from "./read-message.ts";
import type { Rest } from "./rest.ts";
import { renderMessage } from "./render.ts";
import { maxText } from "./sender.ts";
import { bodyOf, readAddress, sentOf } from "./sent.ts";
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
/** Questions whose messages are remembered; one that is older has long expired. */
const maxOpen = 1_000;
const editMs = 10_000;

interface Asked {
  readonly request: ApprovalRequest;
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
  readonly #asked = new Map<string, Asked>();
  /** Questions on their way, each with what was decided meanwhile. */
  readonly #sending = new Map<string, "allow" | "deny" | undefined>();

  constructor(needs: QuestionNeeds) {
    this.#needs = needs;
  }

  async ask(request: ApprovalRequest, to: Json, signal: AbortSignal): Promise<Sent> {
    const address = readAddress(to);
    if (address === undefined) return { status: "refused", reason: "it has no address on Discord" };
    const { rest, nonces } = this.#needs;
    const nonce = await nonces.of(`asked ${request.id}`, 0);
    const body = {
      ...bodyOf(plainly(approvalText(request)), nonce, address.message),
      components: [{ type: row, components: approvalButtons(request).map(buttonOf) }],
    };
    this.#sending.set(request.id, undefined);
    const sent = await sentOf(async () => {
      const path = `/channels/${address.channel}/messages`;
      const { id } = await rest.call<WireMessage>("POST", path, { body, signal });
      this.#remember({ request, channel: address.channel, message: id });
      return id;
    });
    const decided = this.#sending.get(request.id);
    this.#sending.delete(request.id);
    if (decided !== undefined) void this.settled(request, decided);
    return sent;
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  async settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    if (this.#sending.has(request.id)) return void this.#sending.set(request.id, decision);
    const asked = this.#asked.get(request.id);
    if (!this.#asked.delete(request.id) || asked === undefined) return;
    const content = plainly(settledText(request, decision));
    await this.#edit(asked.channel, asked.message, { content });
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
    const { approvals, people } = this.#needs;
    const { channel_id: channel, guild_id, message, data } = interaction;
    const custom = data?.custom_id ?? "";
    if (!isId(channel) || !isId(user?.id) || message === undefined || !isApprovalData(custom))
      return "This button does nothing any more.";
    const trust = (await people.trust(user.id)) ?? "guest";
    const conversation = conversationOf(channel, guild_id);
    const presser = { channel: "discord", sender: { id: user.id }, conversation, trust };
    const [, id = ""] = custom.split(":");
    const asked = this.#asked.get(id);
    const notice = pressApproval(approvals, custom, presser);
    if (approvals.pending().some((request) => request.id === id)) return notice;
    // Of a question that an earlier process asked only the buttons are known.
    if (asked === undefined) void this.#edit(channel, message.id, {});
    else void this.settled(asked.request, custom.endsWith(":deny") ? "deny" : "allow");
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

  #remember(asked: Asked): void {
    this.#asked.set(asked.request.id, asked);
    if (this.#asked.size > maxOpen) this.#asked.delete(this.#asked.keys().next().value as string);
  }
}

function buttonOf({ label, data }: { readonly label: string; readonly data: string }): object {
  const style = styles[label as keyof typeof styles] ?? otherStyle;
  return { type: button, style, label, custom_id: data };
}

/** What is asked has to be seen as it is: nothing in it is a mark. */
function plainly(text: string): string {
  const shown = renderMessage({ text, spans: [] });
  return shown.length <= maxText ? shown : text.slice(0, maxText).toWellFormed();
}
