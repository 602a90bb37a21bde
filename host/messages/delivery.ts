import {
  Channels,
  textParts,
  type ApprovalRequest,
  type Channel,
  type Claim,
  type InboundMessage,
  type Sent,
} from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { questionText } from "./approvals-in-channels.ts";
import type { Registry } from "../plugins/registry.ts";

/** A person waits for a question, so it is tried again at once and given up soon. */
const questionWaitsMs = [500, 2_000];

/** The one way out to people in channels. Never throws: what a channel throws is a failure for now. */
export class Delivery {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The key is the message's own, so that a second try is the same message to the platform. */
  async reply({ message, isNotice }: Claim, text: string, signal: AbortSignal): Promise<Sent> {
    const { channel, id, replyTo } = message;
    const outgoing = {
      to: replyTo,
      parts: textParts(text),
      key: `${channel}:${id}:reply`,
      ...(!isNotice && { inReplyTo: id }),
    };
    return this.#through(channel, (to) => to.send(outgoing, signal));
  }

  /** Puts a question to the person who wrote; returns why it could not be put, if so. */
  async question(
    message: InboundMessage,
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (let i = 0; ; i += 1) {
      const sent = await this.#put(message, request, signal);
      if (sent.status === "sent" || signal.aborted) return undefined;
      const wait = questionWaitsMs[i];
      if (sent.status === "refused" || wait === undefined) return sent.reason;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  #put(message: InboundMessage, request: ApprovalRequest, signal: AbortSignal): Promise<Sent> {
    const { channel, id, replyTo } = message;
    const outgoing = {
      to: replyTo,
      parts: textParts(questionText(request)),
      inReplyTo: id,
      key: `${channel}:${id}:${request.id}`,
    };
    return this.#through(channel, (to) => to.ask?.(request, replyTo, signal) ?? to.send(outgoing, signal));
  }

  async #through(name: string, send: (channel: Channel) => Promise<Sent>): Promise<Sent> {
    const channel = this.#registry.get(Channels)?.get(name);
    if (!channel) return { status: "retry", scope: "channel", reason: `the channel ${name} is not loaded` };
    try {
      return await send(channel);
    } catch (error) {
      return { status: "retry", reason: asError(error).message };
    }
  }
}
