import {
  Approvals,
  Audit,
  ConfigFile,
  definePlugin,
  Inbox,
  Media,
  optional,
  Providers,
  Routes,
  Runtime,
  Services,
  Standings,
  Store,
  ToolQuestions,
  Turns,
} from "@gantry/sdk";
import { Type } from "typebox";
import type { Console } from "./console.ts";
import { errors } from "./errors.ts";
import { consoleRoutes } from "./routes.ts";

export default definePlugin({
  name: "console-web",
  summary: "The console: a page that the gateway serves under /console, and what it asks for.",
  table: "console",
  config: Type.Object({
    enabled: Type.Boolean({
      default: true,
      description: "Serve the console, a page for browsers, at /console of the gateway.",
    }),
  }),
  needs: {
    approvals: Approvals,
    audit: Audit,
    configFile: ConfigFile,
    doors: Standings,
    inbox: Inbox,
    media: optional(Media),
    questions: optional(ToolQuestions),
    providers: Providers,
    runtime: Runtime,
    store: Store,
    turns: Turns,
  },
  provides: [Routes, Services],
  errors,
  setup(host) {
    if (!host.config.enabled) return;
    const base = import.meta.url;
    let opened: Promise<Console> | undefined;
    const open = (): Promise<Console> =>
      (opened ??= import("./console.ts").then(({ openConsole }) => openConsole(host.needs, base)));
    host.onServe(async () => {
      for (const route of consoleRoutes(async () => (await open()).work)) host.provide(Routes, route);
      host.provide(Services, {
        name: "console",
        always: true,
        start: async () => {},
        stop: async (signal) => (await opened)?.stop(signal),
      });
    });
  },
});
