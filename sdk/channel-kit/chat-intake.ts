import type { Awaitable } from "../contract/awaitable.ts";
import type { Logger } from "../contract/logger.ts";
import type { InboundMessage } from "../messages/channel.ts";
import type { Json } from "../messages/content.ts";
import type { Inbox } from "../messages/inbox.ts";
import type { RouteRequest } from "../messages/route.ts";
import type { Trust } from "../security/trust.ts";
import { Admission, type AdmissionNeeds } from "./admission.ts";
import type { ChatPlatform, ChatRules } from "./chat-platform.ts";
import { isForAgent } from "./groups.ts";
import type { PlatformMessage } from "./platform-message.ts";
import { receiveAll } from "./receive.ts";
import { plainText } from "./rich-text.ts";

export interface ChatIntakeNeeds<Address, Message extends PlatformMessage> extends AdmissionNeeds {
  readonly name: string;
  readonly title: string;
  readonly rules: ChatRules;
  readonly platform: ChatPlatform<Address, Message>;
  readonly inbox: Inbox;
  readonly log: Logger;
}

/** Takes what people wrote on a platform: read, admitted, and on disk. */
export class ChatIntake<Address, Message extends PlatformMessage> {
  readonly #needs: ChatIntakeNeeds<Address, Message>;
  readonly #admission: Admission;

  constructor(needs: ChatIntakeNeeds<Address, Message>) {
    this.#needs = needs;
    this.#admission = new Admission(needs.name, needs);
  }

  /** {@link ChatFrame.read} */
  async read(about: object, read: () => Awaitable<Message | undefined>): Promise<Message | undefined> {
    const { rules, title, log } = this.#needs;
    try {
      const message = await read();
      if (message === undefined) return undefined;
      const { conversation, mentioned } = message;
      const written = { kind: conversation.kind, group: conversation.id, mentioned };
      return isForAgent(written, rules.groups, rules.groupIds) ? message : undefined;
    } catch (error) {
      log.warn(about, `A message of ${title} was left out, as ${(error as Error).message}.`);
      return undefined;
    }
  }

  /** {@link ChatFrame.take} */
  async take(messages: readonly Message[], signal: AbortSignal): Promise<readonly Message[]> {
    const { known, admitted } = await this.#admitAll(messages, signal);
    if (admitted.length > 0) await receiveAll(this.#needs.inbox, admitted, signal);
    return known;
  }

  /** {@link ChatFrame.deliver} */
  async deliver(
    messages: readonly Message[],
    { id: trace, traceparent }: Pick<RouteRequest, "id" | "traceparent">,
  ): Promise<boolean> {
    const { admitted } = await this.#admitAll(messages, new AbortController().signal);
    const about = { trace, ...(traceparent !== undefined && { traceparent }) };
    const traced = admitted.map((message) => ({ ...message, ...about }));
    return traced.length === 0 || !(await this.#needs.inbox.receive(traced)).includes("full");
  }

  async #admitAll(
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<{ readonly known: readonly Message[]; readonly admitted: readonly InboundMessage[] }> {
    const known: Message[] = [];
    const admitted: InboundMessage[] = [];
    for (const message of messages) {
      const trust = await this.#trust(message);
      const inbound = await this.#admit(message, trust, signal);
      if (inbound === undefined) continue;
      admitted.push(inbound);
      if (trust !== undefined) known.push(message);
    }
    return { known, admitted };
  }

  async #trust({ replyTo, sender }: Message): Promise<Trust | undefined> {
    const { platform, people } = this.#needs;
    const address = platform.readAddress(replyTo as Json);
    if (address !== undefined && platform.refusePlace?.(address)) return undefined;
    return people.trust(sender.id);
  }

  async #admit(
    message: Message,
    trust: Trust | undefined,
    signal: AbortSignal,
  ): Promise<InboundMessage | undefined> {
    const { platform } = this.#needs;
    const whole = trust === undefined ? message : ((await platform.surrounded?.(message, signal)) ?? message);
    const attachments = whole.files.flatMap((file) => platform.attachment?.(file) ?? []);
    const answer = (text: string): Promise<unknown> => this.#answer(message, text, signal);
    return this.#admission.admit(whole, { trust, attachments, answer }, signal);
  }

  async #answer({ id, replyTo }: Message, text: string, signal: AbortSignal): Promise<unknown> {
    const { platform } = this.#needs;
    const address = platform.readAddress(replyTo as Json);
    if (address === undefined) throw new Error(`${JSON.stringify(replyTo)} is not an address`);
    const delivery = { address, key: `paired ${id}`, index: 0, signal };
    return platform.send({ text: plainText(text), verbatim: true }, delivery);
  }
}
