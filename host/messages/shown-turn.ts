import type { ApprovalRequest, InboundMessage, Logger, TurnEvent } from "@gantry/sdk";
import { askInChannel } from "./approvals-in-channels.ts";
import type { Delivery } from "./delivery.ts";
import type { Approvals } from "../tools/approvals.ts";

export interface ShownTurnDeps {
  readonly delivery: Delivery;
  readonly approvals: Approvals;
  readonly log: Logger;
}

/** A turn as its channel sees it while it runs: its work, its questions, and their answers. */
export class ShownTurn {
  readonly #deps: ShownTurnDeps;
  readonly #message: InboundMessage;
  readonly #signal: AbortSignal;
  readonly #ended = new AbortController();
  readonly #asked = new Map<string, ApprovalRequest>();

  constructor(deps: ShownTurnDeps, message: InboundMessage, signal: AbortSignal) {
    this.#deps = deps;
    this.#message = message;
    this.#signal = signal;
    void deps.delivery.working(message, AbortSignal.any([signal, this.#ended.signal]));
  }

  tell(event: TurnEvent): void {
    void this.#deps.delivery.turnEvent(this.#message, event);
    if (event.type === "approval_request") {
      this.#asked.set(event.request.id, event.request);
      void askInChannel(this.#deps, this.#message, event.request, this.#signal);
    }
    if (event.type !== "approval_done") return;
    const request = this.#asked.get(event.id);
    if (request) void this.#deps.delivery.settled(this.#message, request, event.decision);
  }

  /** From here on nothing says any more that the turn runs. */
  end(): void {
    this.#ended.abort();
  }
}
