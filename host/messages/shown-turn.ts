import { OwnerDoors, settledText } from "@gantry/sdk/fill";
import {
  verbatimParts,
  type ApprovalRequest,
  type InboundMessage,
  type Logger,
  type TurnEvent,
} from "@gantry/sdk";
import type { Registry } from "../plugins/registry.ts";
import { askInChannel } from "./approvals-in-channels.ts";
import type { Delivery } from "./delivery.ts";
import { putToolQuestion } from "./tool-questions-in-channels.ts";
import type { Approvals } from "../tools/approvals.ts";
import type { Delivered } from "../tools/asked-question.ts";

export interface ShownTurnDeps {
  readonly delivery: Delivery;
  readonly approvals: Approvals;
  readonly registry: Registry;
  readonly log: Logger;
}

/** The most time that the edit of a settled question may take. */
const editMs = 10_000;

interface AskedHere {
  readonly request: ApprovalRequest;
  /** Set if an earlier process sent the question. */
  readonly earlier: Delivered | undefined;
}

/** Returns where a turn's questions are put: an owner's where they wrote, others' to the owner. */
export async function whomToAsk(
  registry: Registry,
  message: InboundMessage,
): Promise<InboundMessage | undefined> {
  if (message.trust === "owner") return message;
  const door = await Promise.resolve(registry.get(OwnerDoors)?.door(message.channel)).catch(() => undefined);
  return door && { ...message, ...door, id: "" };
}

/** A turn as its channel sees it while it runs: its work, its questions, and their answers. */
export class ShownTurn {
  readonly #deps: ShownTurnDeps;
  readonly #message: InboundMessage;
  readonly #whom: InboundMessage;
  readonly #signal: AbortSignal;
  readonly #ended = new AbortController();
  readonly #asked = new Map<string, AskedHere>();

  constructor(deps: ShownTurnDeps, message: InboundMessage, whom: InboundMessage, signal: AbortSignal) {
    this.#deps = deps;
    this.#message = message;
    this.#whom = whom;
    this.#signal = signal;
    void deps.delivery.working(message, AbortSignal.any([signal, this.#ended.signal]));
  }

  tell(event: TurnEvent): void {
    void this.#deps.delivery.turnEvent(this.#message, event);
    if (event.type === "approval_request") {
      const { request } = event;
      const earlier = this.#deps.approvals.delivered(request.id);
      this.#asked.set(request.id, { request, earlier });
      if (!earlier) void askInChannel(this.#deps, this.#whom, request, this.#signal);
    }
    if (event.type === "tool_question")
      void putToolQuestion(this.#deps, this.#message, event.question, this.#signal);
    if (event.type === "approval_done") void this.#settle(event.id, event.decision);
  }

  /** Edits the message that an earlier process sent, since the channel does not remember it. */
  async #settle(id: string, decision: "allow" | "deny"): Promise<void> {
    const { request, earlier } = this.#asked.get(id) ?? {};
    const { delivery } = this.#deps;
    if (!request) return;
    if (earlier?.message === undefined || !delivery.canEdit(this.#whom))
      return delivery.settled(this.#whom, request, decision);
    const words = verbatimParts(settledText(request, decision));
    await delivery.edit(this.#whom, earlier.message, words, AbortSignal.timeout(editMs));
  }

  /** From here on nothing says any more that the turn runs. */
  end(): void {
    this.#ended.abort();
  }
}
