import { laneOf } from "@gantry/sdk/fill";
import type { InboundMessage } from "@gantry/sdk";
import type { People } from "../config/people.ts";
import type { Redaction } from "../record/redaction.ts";
import type { CallDeps } from "../tools/call.ts";
import type { TurnDeps } from "../turn/turn.ts";
import { Admission, type SenderBounds } from "./admission.ts";
import { decideInChannel } from "./approvals-in-channels.ts";
import { ChatWords } from "./chat-words.ts";
import { Conversations } from "./conversations.ts";
import { Delivery } from "./delivery.ts";
import { Inbox, type ControlWord } from "./inbox.ts";
import { Outbox } from "./outbox.ts";
import type { RunningTurns } from "./running-turns.ts";
import { SenderCheck } from "./sender-check.ts";
import { Serving, type ServingDeps } from "./serving.ts";
import { answersTool } from "./tool-questions-in-channels.ts";

/** The dependencies that messages share with calls of tools. */
type Shared =
  | "registry"
  | "tools"
  | "hooks"
  | "audit"
  | "approvals"
  | "observers"
  | "sources"
  | "rulings"
  | "log";

export interface MessagesDeps
  extends Pick<CallDeps, Shared>, Pick<ServingDeps, "configDir" | "lacking" | "prepare"> {
  readonly people: People;
  readonly redaction: Redaction;
  readonly turn: TurnDeps;
  readonly want: { readonly provider: string | undefined; readonly model: string | undefined };
  /** The redaction of what the owner sees at a terminal or device of their own. */
  readonly forOwner: Redaction;
  readonly bounds: SenderBounds;
}

/** Messages from the moment they come in until they are answered. */
export class Messages {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly serving: Serving;
  readonly turns: RunningTurns;

  constructor(given: MessagesDeps) {
    const deps = {
      ...given,
      level: given.rulings.level,
      delivery: new Delivery(given.registry),
      senders: new SenderCheck(given),
    };
    const conversations = new Conversations(deps);
    this.turns = conversations.turns;
    this.outbox = new Outbox(deps);
    const admission = new Admission({ ...deps, outbox: this.outbox });
    const begin = (message: InboundMessage): Promise<void> => this.inbox.begin(message);
    const words = new ChatWords({ ...deps, begin, conversations, outbox: this.outbox });
    const controls: readonly ControlWord[] = [
      (message) => decideInChannel(deps, message),
      (message) => words.control(message, laneOf(message)),
      (message) => answersTool(deps, message),
    ];
    this.inbox = new Inbox({ ...deps, controls, admission, conversations, words });
    this.serving = new Serving({
      ...deps,
      conversations,
      admission,
      words,
      outbox: this.outbox,
    });
  }
}
