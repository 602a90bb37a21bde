import type { Inbox, Logger, Outbox, Service, Store, Tool } from "@gantry/sdk";
import type { DealNeeds } from "./deal.ts";
import type { Job } from "./job.ts";
import { Scheduler } from "./scheduler.ts";
import { JobShelf } from "./shelf.ts";
import { scheduleTools } from "./tools.ts";

export interface JobsNeeds {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly store: Store;
}

/** All that works with jobs, loaded once somebody does. */
export interface OpenJobs {
  readonly needs: DealNeeds;
  readonly scheduler: Scheduler;
  readonly service: Service;
  readonly tools: readonly Tool[];
}

export function openJobs(given: JobsNeeds, configured: readonly Job[], log: Logger): OpenJobs {
  const store = (): Store => given.store;
  const shelf = new JobShelf(store, configured);
  const needs = { ...given, shelf, store };
  const scheduler = new Scheduler(needs, log);
  const tools = scheduleTools(shelf, () => scheduler.look());
  return { needs, scheduler, service: scheduler.service("jobs"), tools };
}
