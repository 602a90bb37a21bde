import {
  Approvals,
  Audit,
  ConfigFile,
  Inbox,
  Outbox,
  People,
  Policy,
  Providers,
  Runtime,
  ToolCatalog,
  Turns,
  type AnySlot,
} from "@gantry/sdk";
import type { HostOptions } from "./host-options.ts";
import { runtimeOf } from "./runtime.ts";

interface Filling {
  readonly options: HostOptions;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly inbox: Inbox;
  readonly models: Providers;
  readonly outbox: Outbox;
  readonly people: People;
  readonly policy: Policy;
  readonly tools: ToolCatalog;
  readonly turns: Turns;
}

/** Returns what the host itself fills, by slot; `failed` names the plugins that failed since the start. */
export function ownSlots(
  own: Filling,
  configFile: ConfigFile,
  failed: ReadonlySet<string>,
): ReadonlyMap<AnySlot, unknown> {
  return new Map<AnySlot, unknown>([
    [Approvals, own.approvals],
    [Audit, own.audit],
    [ConfigFile, configFile],
    [Inbox, own.inbox],
    [Outbox, own.outbox],
    [People, own.people],
    [Providers, own.models],
    [Policy, own.policy],
    [Runtime, runtimeOf(own.options, failed)],
    [ToolCatalog, own.tools],
    [Turns, own.turns],
  ]);
}
