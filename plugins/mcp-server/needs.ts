import type { Approvals, Inbox, Logger, Media, Runtime, ToolCatalog, ToolQuestions } from "@gantry/sdk";

/** The parts that the doors work on. */
export interface DoorNeeds {
  readonly approvals: Approvals;
  readonly catalog: ToolCatalog;
  readonly inbox: Inbox;
  readonly media: Media | undefined;
  readonly questions: ToolQuestions | undefined;
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The tools that the owner offers, by their names. */
  readonly listed: readonly string[];
}
