import type { ApprovalRequest, Approvals } from "../turns/approval.ts";
import type { InboundMessage, Sent } from "../messages/channel.ts";
import { settledText } from "../turns/approval-text.ts";
import { isApprovalData, pressApproval } from "./approval-buttons.ts";
import type { LetIn } from "./let-in.ts";

/** Questions whose messages are remembered; one that is older has long expired. */
const maxOpen = 1_000;

/** The notice for somebody who pressed a button that is none of ours, or whose message is gone. */
export const deadButton = "This button does nothing any more.";

export interface QuestionRules<Place> {
  readonly channel: string;
  readonly approvals: Approvals;
  readonly people: LetIn;
  /** Puts these words in the place of a question and takes its buttons away. Never throws. */
  settle(place: Place, words: string): Promise<void>;
}

/** Somebody pressed a button with this data. */
export interface ButtonPress extends Pick<InboundMessage, "sender" | "conversation"> {
  readonly data: string;
}

export interface PressOutcome {
  /** For the presser. */
  readonly notice: string;
  /** This press has decided the question. */
  readonly decided: boolean;
  /**
   * The question is over and its message unknown, as an earlier process asked it: the channel takes
   * the buttons away.
   */
  readonly forgotten: boolean;
}

/**
 * Keeps the questions of a channel with buttons, and the place of each, so that it is settled
 * there, once, however it was decided.
 */
export class OpenQuestions<Place> {
  readonly #rules: QuestionRules<Place>;
  readonly #asked = new Map<string, { readonly request: ApprovalRequest; readonly place: Place }>();
  /** Questions on their way, each with what was decided meanwhile. */
  readonly #sending = new Map<string, "allow" | "deny" | undefined>();

  constructor(rules: QuestionRules<Place>) {
    this.#rules = rules;
  }

  /** Sends a question; `send` tells its place as soon as the platform has told it. */
  async ask(
    request: ApprovalRequest,
    send: (stands: (place: Place) => void) => Promise<Sent>,
  ): Promise<Sent> {
    this.#sending.set(request.id, undefined);
    try {
      return await send((place) => this.#remember(request, place));
    } finally {
      const decision = this.#sending.get(request.id);
      this.#sending.delete(request.id);
      if (decision !== undefined) void this.settled(request, decision);
    }
  }

  /** Takes the buttons away and says what was decided; once, wherever it was. */
  async settled(request: ApprovalRequest, decision: "allow" | "deny"): Promise<void> {
    const { id } = request;
    if (this.#sending.has(id)) return void this.#sending.set(id, decision);
    const asked = this.#asked.get(id);
    if (!this.#asked.delete(id) || asked === undefined) return;
    await this.#rules.settle(asked.place, settledText(request, decision));
  }

  /** Hands a press to the host, which knows who may decide. */
  async press({ data, sender, conversation }: ButtonPress): Promise<PressOutcome> {
    const { channel, approvals, people } = this.#rules;
    if (!isApprovalData(data)) return { notice: deadButton, decided: false, forgotten: false };
    const [, id = "", decision] = data.split(":");
    const trust = (await people.trust(sender.id)) ?? "guest";
    const asked = this.#asked.get(id);
    const presser = { channel, sender, conversation, trust };
    const { outcome, notice } = await pressApproval(approvals, data, presser);
    if (outcome === "forbidden") return { notice, decided: false, forgotten: false };
    // Decided elsewhere, it is settled by what the host tells.
    if (outcome === "done" && asked !== undefined)
      void this.settled(asked.request, decision === "deny" ? "deny" : "allow");
    return { notice, decided: outcome === "done", forgotten: asked === undefined && !this.#sending.has(id) };
  }

  #remember(request: ApprovalRequest, place: Place): void {
    this.#asked.set(request.id, { request, place });
    if (this.#asked.size > maxOpen) this.#asked.delete(this.#asked.keys().next().value as string);
  }
}
