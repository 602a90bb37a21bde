import type { Approvals, ConfigFile, Inbox, Media, Route, Runtime, Service, Store } from "@gantry/sdk";
import type { ToolQuestions, Turns } from "@gantry/sdk";
import { approvalRoute } from "./approval-route.ts";
import { configRoutes } from "./config-routes.ts";
import { markdownRoute } from "./markdown-route.ts";
import { pageRoutes } from "./page-routes.ts";
import { turnRoutes } from "./turn-routes.ts";
import { TurnLogs } from "./turn-logs.ts";
import { Uploads, uploadRoute } from "./uploads.ts";

export interface ConsoleNeeds {
  readonly approvals: Approvals;
  readonly configFile: ConfigFile;
  readonly inbox: Inbox;
  readonly media: Media | undefined;
  readonly questions: ToolQuestions | undefined;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly turns: Turns;
}

/** Returns the routes of the console, and what ends its turns when the service stops. */
export function openConsole(
  needs: ConsoleNeeds,
  base: string,
): { readonly routes: readonly Route[]; readonly service: Service } {
  const logs = new TurnLogs(needs.inbox);
  const uploads = new Uploads();
  const routes = [
    ...pageRoutes(base),
    ...turnRoutes(logs, needs, uploads),
    uploadRoute(uploads, needs.media),
    approvalRoute(needs.approvals),
    markdownRoute(),
    ...configRoutes(needs.configFile),
  ];
  const service: Service = {
    name: "console",
    always: true,
    start: async () => {},
    stop: (signal) => logs.stop(signal),
  };
  return { routes, service };
}
