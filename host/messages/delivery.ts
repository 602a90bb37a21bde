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
import type { Registry } from "../plugins/registry.ts";

/** The one way out to people in channels. Sending never throws: what a channel throws is a failure for now. */
export class Delivery {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The key is the message's own, so that a second try is the same message to the platform. */
  async reply({ message, isNotice }: Claim, text: string, signal: AbortSignal): Promise<Sent> {
    const { channel, id, replyTo } = message;
    const key = `${channel}:${id}:reply`;
    if (!isNotice) return this.say(message, text, key, signal);
    const outgoing = { to: replyTo, parts: textParts(text), key };
    return this.#through(channel, (to) => to.send(outgoing, signal));
  }

  /** Sends a text to whoever wrote the message, once. */
  async say(message: InboundMessage, text: string, key: string, signal: AbortSignal): Promise<Sent> {
    const { channel, id, replyTo } = message;
    const outgoing = { to: replyTo, parts: textParts(text), inReplyTo: id, key };
    return this.#through(channel, (to) => to.send(outgoing, signal));
  }

  /** Puts a question to whoever wrote the message, by the channel's own means if it has any, else as `text`. */
  question(
    { channel, id, replyTo }: InboundMessage,
    request: ApprovalRequest,
    text: string,
    signal: AbortSignal,
  ): Promise<Sent> {
    const outgoing = { to: replyTo, parts: textParts(text), inReplyTo: id, key: request.id };
    return this.#through(channel, (to) => to.ask?.(request, replyTo, signal) ?? to.send(outgoing, signal));
  }

  /** Tells the channel what became of its question, so that buttons which decide nothing any more can go. Throws what it throws. */
  async settled(name: string, request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    await this.#registry.get(Channels)?.get(name)?.settled?.(request, decision);
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
