import type { Agents, Inbox, Logger, Outbox, People, Service, Store } from "@gantry/sdk";
import type { Doors } from "../shared/rights-now.ts";
import type { DealNeeds } from "./deal.ts";
import type { Job } from "./job.ts";
import { Scheduler } from "./scheduler.ts";
import { JobShelf } from "./shelf.ts";
import { addWanted, listOwn, removeOwn } from "./schedule-work.ts";

export interface JobsNeeds {
  readonly agents: Agents | undefined;
  readonly doors: Doors;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly people: People;
  readonly store: Store;
}

/** All that works with jobs, loaded once somebody does. */
export interface OpenJobs {
  readonly needs: DealNeeds;
  readonly scheduler: Scheduler;
  readonly service: Service;
  readonly work: {
    readonly addWanted: typeof addWanted;
    readonly listOwn: typeof listOwn;
    readonly removeOwn: typeof removeOwn;
  };
}

export function openJobs(given: JobsNeeds, configured: readonly Job[], log: Logger): OpenJobs {
  const store = (): Store => given.store;
  const shelf = new JobShelf(store, configured);
  const needs = { ...given, shelf, store };
  const scheduler = new Scheduler(needs, log);
  return { needs, scheduler, service: scheduler.service("jobs"), work: { addWanted, listOwn, removeOwn } };
}
