import {
  Checks,
  Commands,
  definePlugin,
  Inbox,
  optional,
  Outbox,
  People,
  Services,
  Store,
  Tools,
} from "@gantry/sdk";
import { Type } from "typebox";
import { ConfiguredJob, configuredJobs } from "./configured.ts";
import { errors } from "./errors.ts";
import { Scheduler } from "./scheduler.ts";
import { JobShelf } from "./shelf.ts";
import { scheduleTools } from "./tools.ts";
import { jobCommands } from "./words.ts";

export default definePlugin({
  name: "scheduled-jobs",
  summary:
    "Prompts that run at their time, once each: [jobs.NAME], `jobs add`, and schedule_add, schedule_list, schedule_remove for owners.",
  table: "",
  config: Type.Object({
    jobs: Type.Record(Type.String({ pattern: "^[a-z][a-z0-9-]{0,39}$" }), ConfiguredJob, {
      default: {},
      description: "Jobs by their names.",
    }),
  }),
  needs: { inbox: Inbox, outbox: Outbox, people: optional(People), store: Store },
  provides: [Checks, Commands, Services, Tools],
  errors,
  setup(host) {
    const { inbox, outbox, people, store } = host.needs;
    const shelf = new JobShelf(() => store, configuredJobs(host.config.jobs));
    const needs = { inbox, outbox, people, shelf, store: () => store };
    const scheduler = new Scheduler(needs, host.log);
    host.provide(Services, scheduler.service("jobs"));
    host.provide(Checks, { name: "jobs", kind: "ready", run: async () => scheduler.rows() });
    for (const command of jobCommands(needs)) host.provide(Commands, command);
    const tools = scheduleTools(
      shelf,
      () => scheduler.serves,
      () => scheduler.look(),
    );
    for (const tool of tools) host.provide(Tools, tool);
  },
});
