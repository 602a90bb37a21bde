import type { Store } from "../store/store.ts";
import type { ContractCase } from "./contract-case.ts";
import type { BreakableStore, OpenedStore } from "./store-contract/opened.ts";
import type { Cases } from "./store-contract/cases.ts";
import { dueCases } from "./store-contract/due.ts";
import { failureCases } from "./store-contract/failures.ts";
import { eraseCases } from "./store-contract/erase.ts";
import { laneCases } from "./store-contract/lanes.ts";
import { leaseCases } from "./store-contract/leases.ts";
import { keptCases } from "./store-contract/kept-messages.ts";
import { limitCases } from "./store-contract/limits.ts";
import { memoryCases } from "./memory-contract.ts";
import { nodeCases } from "./store-contract/nodes.ts";
import { sessionCases } from "./store-contract/sessions.ts";
import { usageCases } from "./store-contract/usage.ts";
import { valueCases } from "./store-contract/values.ts";
import { viewCases } from "./store-contract/views.ts";
import { waitCases } from "./store-contract/waits.ts";

export interface StoreSubject {
  open(): Promise<OpenedStore>;
  /**
   * Lets so much time pass by the clock of the stores that `open` gives. Without it, what ends with
   * time is not tried.
   */
  pass?(ms: number): Promise<void>;
  /**
   * For a store that several processes share: that many handles on one empty store, as far apart as
   * they can be.
   */
  openShared?(count: number): Promise<{ readonly stores: readonly Store[]; close(): Promise<void> }>;
  /**
   * For a store that may lose the place where it keeps things, such as a database on another
   * machine.
   */
  openBreakable?(): Promise<BreakableStore>;
}

const memoryOfStore: Cases = Object.fromEntries(
  Object.entries(memoryCases).map(([name, check]) => [
    name,
    ({ store, reopen }: OpenedStore) =>
      check({ memory: store.memory, reopen: async () => (await reopen()).memory }),
  ]),
);

/**
 * Returns the duties of every filler of the slot Store. Register each case with any test runner:
 * `test(name, run)`.
 */
export function storeContract(subject: StoreSubject): readonly ContractCase[] {
  const { openBreakable, openShared, pass } = subject;
  const all = Object.entries({
    ...sessionCases,
    ...memoryOfStore,
    ...laneCases,
    ...leaseCases,
    ...waitCases,
    ...dueCases,
    ...keptCases,
    ...limitCases,
    ...valueCases,
    ...viewCases,
    ...usageCases,
    ...eraseCases,
  });
  const alone = all
    .filter(([, check]) => typeof check === "function" || pass)
    .map(([name, check]) => ({
      name,
      async run() {
        const opened = await subject.open();
        try {
          if (typeof check === "function") await check(opened);
          else await check.timed({ ...opened, pass: async (ms) => pass?.call(subject, ms) });
        } finally {
          await opened.close();
        }
      },
    }));
  return [
    ...alone,
    ...opening(nodeCases, openShared && (() => openShared.call(subject, 4))),
    ...opening(failureCases, openBreakable && (() => openBreakable.call(subject))),
  ];
}

/** Each case with a subject of its own; none if there is nothing to try them with. */
function opening<Subject extends { close(): Promise<void> }>(
  cases: Readonly<Record<string, (subject: Subject) => Promise<void>>>,
  open: (() => Promise<Subject>) | undefined,
): readonly ContractCase[] {
  if (open === undefined) return [];
  return Object.entries(cases).map(([name, check]) => ({
    name,
    async run() {
      const subject = await open();
      try {
        await check(subject);
      } finally {
        await subject.close();
      }
    },
  }));
}
