import {
  Channels,
  laneOf,
  textParts,
  type Claim,
  type InboundMessage,
  type Lanes,
  type OutgoingMessage,
  type Logger,
  type Sent,
} from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import { askInChannel } from "./approvals-in-channels.ts";
import type { Approvals } from "../tools/approvals.ts";
import type { Inbox } from "./inbox.ts";
import type { Delivery } from "./delivery.ts";
import type { Registry } from "../plugins/registry.ts";
import { stopNote } from "../turn/stop-note.ts";

/** For what another try will hardly help: about ten seconds. */
const fewTries = 4;
/** For a model or a platform that is away: about three quarters of an hour. */
const manyTries = 16;
/** A message that brings the process down again and again must not do so for ever. */
const maxBegun = 20;
const backoffMs = [500, 2_000, 8_000, 30_000, 60_000, 120_000, 300_000];

export interface ClaimedDeps {
  readonly registry: Registry;
  readonly inbox: Inbox;
  readonly approvals: Approvals;
  readonly log: Logger;
  readonly lanes: Lanes;
  readonly outcomes: Delivery;
}

/** The way of a message that was claimed: its turn is run, the answer recorded, then sent; what fails is tried later or put aside. */
export class ClaimedMessages {
  readonly #deps: ClaimedDeps;

  constructor(deps: ClaimedDeps) {
    this.#deps = deps;
  }

  /** Never throws. */
  async work(claim: Claim, signal: AbortSignal): Promise<void> {
    const { lanes } = this.#deps;
    try {
      if (claim.deliveryCount > maxBegun)
        return await this.#deps.outcomes.record(() =>
          lanes.deadLetter(claim, `it was begun ${maxBegun} times and never ended`),
        );
      const reply = claim.reply ?? (await this.#answer(claim, signal));
      if (reply === undefined) return;
      await this.#send(claim, reply, signal);
    } catch (error) {
      this.#deps.log.error(
        { lane: laneOf(claim.message), err: asError(error) },
        `A message could not be answered: ${asError(error).message}`,
      );
      // Where the service stops meanwhile, the lease ends with it and the message is taken up at the next start.
      await this.#tryLater(claim, asError(error).message).catch(() => {});
    }
  }

  /** Runs the turn and records its answer before anything is sent; undefined where there is nothing to send now. */
  async #answer(claim: Claim, signal: AbortSignal): Promise<string | undefined> {
    const { message } = claim;
    const { inbox, registry } = this.#deps;
    const channel = registry.get(Channels)?.get(message.channel);
    const mayAsk = channel !== undefined && message.trust === "owner";
    const { result, messages } = await inbox.turn(message, laneOf(message), {
      signal,
      approvals: mayAsk ? "ask" : "none",
      onEvent: (event) => {
        if (event.type === "approval_request") void askInChannel(this.#deps, message, event.request, signal);
      },
    });
    if (signal.aborted) {
      await this.#deps.outcomes.record(() =>
        this.#deps.lanes.retry(claim, Date.now(), "the service stopped"),
      );
      return undefined;
    }
    if (result.error && result.tool_calls.length === 0) {
      this.#deps.log.warn(
        { lane: laneOf(message), attempt: claim.deliveryCount },
        `A message could not be answered yet: ${result.error.message}`,
      );
      await this.#tryLater(claim, result.error.message, result.error.retry ? manyTries : fewTries);
      return undefined;
    }
    const note = stopNote(result);
    const said = result.reply || result.error?.message || "";
    const reply = note === undefined ? said : `${said}\n\n[${note}]`.trimStart();
    const recorded = await this.#deps.outcomes.record(() =>
      this.#deps.lanes.answer(claim, reply, laneOf(message), messages),
    );
    return recorded ? reply : undefined;
  }

  async #send(claim: Claim, reply: string, signal: AbortSignal): Promise<void> {
    const { message } = claim;
    const { lanes, registry } = this.#deps;
    const channel = registry.get(Channels)?.get(message.channel);
    if (reply === "") return this.#deps.outcomes.record(() => lanes.ack(claim));
    if (!channel) return this.#tryLater(claim, `the channel ${message.channel} is not loaded`);
    const sent: Sent = await channel.send(replyTo(message, reply), signal);
    if (sent.status === "sent") return this.#deps.outcomes.record(() => lanes.ack(claim));
    this.#deps.log.warn(
      { lane: laneOf(message), status: sent.status },
      `A reply was not sent: ${sent.reason}`,
    );
    if (sent.status === "refused")
      return this.#deps.outcomes.record(() => lanes.deadLetter(claim, sent.reason));
    return this.#tryLater(claim, sent.reason, manyTries);
  }

  /** A message that keeps failing is put aside, so that its lane goes on. */
  async #tryLater(claim: Claim, reason: string, tries: number = fewTries): Promise<void> {
    if (claim.deliveryCount >= tries)
      return this.#deps.outcomes.record(() => this.#deps.lanes.deadLetter(claim, reason));
    const wait = backoffMs[Math.min(claim.deliveryCount, backoffMs.length) - 1] as number;
    await this.#deps.outcomes.record(() =>
      this.#deps.lanes.retry(claim, Date.now() + Math.round(wait * (0.75 + Math.random() / 2)), reason),
    );
  }
}

/** The key is the message's own, so that a second try is the same message to the platform. */
function replyTo(message: InboundMessage, text: string): OutgoingMessage {
  return {
    to: message.replyTo,
    parts: textParts(text),
    inReplyTo: message.id,
    key: `${message.channel}:${message.id}:reply`,
  };
}
