import {
  Agents,
  Checks,
  Commands,
  definePlugin,
  Inbox,
  optional,
  Outbox,
  People,
  Routes,
  Services,
  Standings,
  Store,
  Tools,
} from "@gantry/sdk";
import { Type } from "typebox";
import { ConfiguredJob, configuredJobs } from "./configured.ts";
import { errors } from "./errors.ts";
import type { OpenJobs } from "./open-jobs.ts";
import { scheduleTools } from "./tools.ts";
import { jobCommands } from "./words.ts";

export default definePlugin({
  name: "scheduled-jobs",
  summary:
    "Prompts that run at their time, once each: [jobs.NAME], `jobs add`, and schedule_add, schedule_list, schedule_remove for owners.",
  table: "",
  config: Type.Object({
    jobs: Type.Record(Type.String({ pattern: "^[a-z][a-z0-9-]{0,39}$" }), ConfiguredJob, {
      description: "Jobs by their names.",
    }),
  }),
  needs: {
    agents: optional(Agents),
    doors: Standings,
    inbox: Inbox,
    outbox: Outbox,
    people: People,
    store: Store,
  },
  provides: [Checks, Commands, Routes, Services, Tools],
  errors,
  setup(host) {
    const configured = configuredJobs(host.config.jobs);
    let opened: Promise<OpenJobs> | undefined;
    const open = (): Promise<OpenJobs> =>
      (opened ??= import("./open-jobs.ts").then(({ openJobs }) =>
        openJobs(host.needs, configured, host.log),
      ));
    let serves = false;
    host.provide(Services, {
      name: "jobs",
      always: true,
      start: async () => {
        await (await open()).service.start();
        serves = true;
      },
      stop: async (signal) => {
        serves = false;
        await (await open()).service.stop(signal);
      },
    });
    host.provide(Checks, {
      name: "jobs",
      kind: "ready",
      run: async () => (opened ? (await opened).scheduler.rows() : []),
    });
    for (const tool of scheduleTools(open, () => serves)) host.provide(Tools, tool);
    const needs = async () => (await open()).needs;
    for (const command of jobCommands(needs)) host.provide(Commands, command);
    host.onServe(async () => {
      const { jobRoutes } = await import("./routes.ts");
      for (const route of jobRoutes(needs)) host.provide(Routes, route);
    });
  },
});
