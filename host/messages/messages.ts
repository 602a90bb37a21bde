import { laneOf, type Logger, type Plugin } from "@gantry/sdk";
import type { People } from "../config/people.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Registry } from "../plugins/registry.ts";
import type { Audit } from "../record/audit.ts";
import type { Telling } from "../record/observers.ts";
import type { Redaction } from "../record/redaction.ts";
import type { Approvals } from "../tools/approvals.ts";
import type { Rulings } from "../tools/rulings.ts";
import type { SessionSources } from "../tools/session-sources.ts";
import type { TurnDeps } from "../turn/turn.ts";
import { Admission, type SenderBounds } from "./admission.ts";
import { decideInChannel } from "./approvals-in-channels.ts";
import { ChatWords } from "./chat-words.ts";
import { Conversations } from "./conversations.ts";
import { Delivery } from "./delivery.ts";
import { Inbox, type ControlWord } from "./inbox.ts";
import { Outbox } from "./outbox.ts";
import { SenderCheck } from "./sender-check.ts";
import { Serving } from "./serving.ts";
import type { ToolList } from "../tools/tool-list.ts";

export interface MessagesDeps {
  readonly registry: Registry;
  readonly tools: ToolList;
  readonly hooks: HookTable;
  readonly audit: Audit;
  readonly approvals: Approvals;
  readonly people: People;
  readonly observers: Telling;
  readonly sources: SessionSources;
  readonly rulings: Rulings;
  readonly redaction: Redaction;
  readonly log: Logger;
  readonly turn: TurnDeps;
  readonly want: { readonly provider: string | undefined; readonly model: string | undefined };
  /** What is taken out of what the owner sees at a terminal or device of their own. */
  readonly forOwner: Redaction;
  readonly bounds: SenderBounds;
  readonly configDir: string;
  /** Has every plugin load what it may need while serving. */
  readonly prepare: () => Promise<void>;
  /** What comes with Gantry, loaded or not. */
  readonly bundled: () => Promise<readonly Plugin[]>;
}

/** Messages from the moment they come in until they are answered. */
export class Messages {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly serving: Serving;

  constructor(given: MessagesDeps) {
    const deps = {
      ...given,
      delivery: new Delivery(given.registry),
      senders: new SenderCheck(given),
    };
    const conversations = new Conversations(deps);
    this.outbox = new Outbox(deps);
    const admission = new Admission({ ...deps, outbox: this.outbox });
    const words = new ChatWords({ ...deps, conversations, outbox: this.outbox });
    const controls: readonly ControlWord[] = [
      (message) => decideInChannel(deps, message),
      (message) => words.control(message, laneOf(message)),
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
