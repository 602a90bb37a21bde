import type {
  Approvals,
  Autonomy,
  ChatCommand,
  Inbox,
  Logger,
  Media,
  Runtime,
  Store,
  ToolQuestions,
} from "@gantry/sdk";
import type { StartedCalls } from "./started-calls.ts";

/** What an editor is answered with. */
export interface Needs {
  readonly approvals: Approvals;
  readonly inbox: Inbox;
  readonly media: Media | undefined;
  readonly questions: ToolQuestions | undefined;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly words: ReadonlyMap<string, ChatCommand>;
  readonly started: StartedCalls;
  readonly log: Logger;
  /** `agent.autonomy_level` */
  readonly level: Autonomy;
}
