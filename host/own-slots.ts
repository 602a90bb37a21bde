import {
  Approvals,
  Audit,
  ConfigFile,
  Inbox,
  Outbox,
  Policy,
  Providers,
  Runtime,
  ToolCatalog,
  ToolQuestions,
  Turns,
  type AnySlot,
} from "@gantry/sdk";

interface Filling {
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly inbox: Inbox;
  readonly models: Providers;
  readonly outbox: Outbox;
  readonly policy: Policy;
  readonly questions: ToolQuestions;
  readonly tools: ToolCatalog;
  readonly turns: Turns;
}

/** Returns what the host itself fills, by slot. */
export function ownSlots(
  { approvals, audit, inbox, models, outbox, policy, questions, tools, turns }: Filling,
  configFile: ConfigFile,
  runtime: Runtime,
): ReadonlyMap<AnySlot, unknown> {
  return new Map<AnySlot, unknown>([
    [Approvals, approvals],
    [Audit, audit],
    [ConfigFile, configFile],
    [Inbox, inbox],
    [Outbox, outbox],
    [Providers, models],
    [Policy, policy],
    [Runtime, runtime],
    [ToolCatalog, tools],
    [ToolQuestions, questions],
    [Turns, turns],
  ]);
}
