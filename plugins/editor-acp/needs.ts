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

/** The parts of the host that an editor's requests need. */
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
  /** `acp.preview` */
  readonly preview: boolean;
}
