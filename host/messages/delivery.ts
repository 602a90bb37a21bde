import {
  Channels,
  textParts,
  verbatimParts,
  type ApprovalRequest,
  type Channel,
  type InboundMessage,
  type MediaRef,
  type OutgoingMessage,
  type Part,
  type Sent,
  type TurnEvent,
} from "@gantry/sdk";
import type { Claim, Notice } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import type { Registry } from "../plugins/registry.ts";

type Tries = Pick<OutgoingMessage, "earlier">;

/** The one way out to people in channels. Never throws: a channel's error is a failure for now. */
export class Delivery {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The key is the message's own, so that a second try is the same message to the platform. */
  async reply(
    claim: Claim,
    { text, files }: { readonly text: string; readonly files: readonly MediaRef[] },
    signal: AbortSignal,
  ): Promise<Sent> {
    const { message, isNotice } = claim;
    const key = `${message.channel}:${message.id}:reply`;
    const tries = triesOf(claim);
    if (isNotice) return this.notify({ message, reply: text }, key, signal, tries);
    const attached = files.map((media) => ({ type: "media", media }) as const);
    const parts = text === "" && attached.length > 0 ? attached : [...textParts(text), ...attached];
    return this.say(message, parts, key, signal, tries);
  }

  /** Sends what answers no message. */
  async notify(
    { message, reply }: Notice,
    key: string,
    signal: AbortSignal,
    tries: Tries = {},
  ): Promise<Sent> {
    const { channel, replyTo, parts } = message;
    const outgoing = { to: replyTo, parts: parts.length > 0 ? parts : textParts(reply), key, ...tries };
    return this.#through(channel, (to) => to.send(outgoing, signal));
  }

  /** Sends something to whoever wrote the message, once. */
  async say(
    message: InboundMessage,
    parts: readonly Part[],
    key: string,
    signal: AbortSignal,
    tries: Tries = {},
  ): Promise<Sent> {
    const { channel, id, replyTo } = message;
    // The turns of a command all answer the message that it was written in.
    const outgoing = { to: replyTo, parts, inReplyTo: id.replace(/(?: \+)+$/, ""), key, ...tries };
    return this.#through(channel, (to) => to.send(outgoing, signal));
  }

  /** Returns true if a message that was sent to whoever wrote this one can be edited. */
  canEdit({ channel }: InboundMessage): boolean {
    return typeof this.#registry.get(Channels)?.get(channel)?.edit === "function";
  }

  /** Puts other words in place of what a message says that was sent to whoever wrote this one. */
  async edit(
    message: InboundMessage,
    id: string,
    parts: readonly Part[],
    signal: AbortSignal,
  ): Promise<Sent> {
    const edited = { to: message.replyTo, id, parts };
    const cannot: Sent = { status: "refused", reason: "the channel edits nothing" };
    return this.#through(message.channel, async (to) => to.edit?.(edited, signal) ?? cannot);
  }

  /** Tells the channel of a step of the turn of this message. */
  async turnEvent({ channel, replyTo }: InboundMessage, event: TurnEvent): Promise<void> {
    await this.#sign(channel, async (to) => to.onTurnEvent?.(event, replyTo));
  }

  /** Puts a question to whoever wrote the message, by the channel's own means, else as `text`. */
  question(
    { channel, id, replyTo }: InboundMessage,
    request: ApprovalRequest,
    text: string,
    signal: AbortSignal,
  ): Promise<Sent> {
    const parts = verbatimParts(text);
    const outgoing = { to: replyTo, parts, key: request.id, ...(id !== "" && { inReplyTo: id }) };
    return this.#through(channel, (to) => to.ask?.(request, replyTo, signal) ?? to.send(outgoing, signal));
  }

  /** Lets a channel show that a turn runs until `signal` aborts; a failed sign changes nothing. */
  async working({ channel, replyTo }: InboundMessage, signal: AbortSignal): Promise<void> {
    await this.#sign(channel, (to) => to.working?.(replyTo, signal));
  }

  /** Lets the channel show what became of a question. */
  async settled(
    { channel }: InboundMessage,
    request: ApprovalRequest,
    decision: "allow" | "deny",
  ): Promise<void> {
    await this.#sign(channel, (to) => to.settled?.(request, decision));
  }

  async #sign(name: string, show: (channel: Channel) => Promise<void> | undefined): Promise<void> {
    const channel = this.#registry.get(Channels)?.get(name);
    try {
      if (channel) await show(channel);
    } catch {
      // The answer matters, its signs do not.
    }
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

/** Says what is known of earlier tries; nothing of an answer that this process just recorded. */
function triesOf({ reply, deliveryCount, begun }: Claim): Tries {
  if (reply === undefined || deliveryCount <= 1) return {};
  return { earlier: begun > 1 ? "cut" : "ended" };
}
