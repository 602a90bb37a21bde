import type { Store } from "../store.ts";
import { eraseCases } from "./store-contract/erase.ts";
import { laneCases } from "./store-contract/lanes.ts";
import { leaseCases } from "./store-contract/leases.ts";
import { keptCases } from "./store-contract/kept-messages.ts";
import { limitCases } from "./store-contract/limits.ts";
import { memoryCases } from "./store-contract/memory.ts";
import { nodeCases } from "./store-contract/nodes.ts";
import { sessionCases } from "./store-contract/sessions.ts";
import { usageCases } from "./store-contract/usage.ts";
import { valueCases } from "./store-contract/values.ts";
import { viewCases } from "./store-contract/views.ts";
import { waitCases } from "./store-contract/waits.ts";

/** An empty store. `reopen` gives what a new process finds after this one ended without a word. */
export interface OpenedStore {
  readonly store: Store;
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

export interface StoreSubject {
  open(): Promise<OpenedStore>;
  /** For a store that several processes share: that many handles on one empty store, as far apart as they can be. */
  openShared?(count: number): Promise<{ readonly stores: readonly Store[]; close(): Promise<void> }>;
}

/** One sentence of the contract; rejects where it does not hold. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

/** What every filler of the slot Store must do. Register each case with any test runner: `test(name, run)`. */
export function storeContract(subject: StoreSubject): readonly ContractCase[] {
  const alone = Object.entries({
    ...sessionCases,
    ...memoryCases,
    ...laneCases,
    ...leaseCases,
    ...waitCases,
    ...keptCases,
    ...limitCases,
    ...valueCases,
    ...viewCases,
    ...usageCases,
    ...eraseCases,
  }).map(([name, check]) => ({
    name,
    async run() {
      const opened = await subject.open();
      try {
        await check(opened);
      } finally {
        await opened.close();
      }
    },
  }));
  const { openShared } = subject;
  if (!openShared) return alone;
  const together = Object.entries(nodeCases).map(([name, check]) => ({
    name,
    async run() {
      const shared = await openShared.call(subject, 4);
      try {
        await check(shared.stores);
      } finally {
        await shared.close();
      }
    },
  }));
  return [...alone, ...together];
}
