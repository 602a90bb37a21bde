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
import { runtimeOf, type Fates } from "./runtime.ts";

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

/** Returns what the host itself fills, by slot. */
export function ownSlots(own: Filling, configFile: ConfigFile, fates: Fates): ReadonlyMap<AnySlot, unknown> {
  return new Map<AnySlot, unknown>([
    [Approvals, own.approvals],
    [Audit, own.audit],
    [ConfigFile, configFile],
    [Inbox, own.inbox],
    [Outbox, own.outbox],
    [People, own.people],
    [Providers, own.models],
    [Policy, own.policy],
    [Runtime, runtimeOf(own.options, fates)],
    [ToolCatalog, own.tools],
    [Turns, own.turns],
  ]);
}
