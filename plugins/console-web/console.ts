import type { Approvals, Audit, ConfigFile, Inbox, Media, Providers, Runtime, Store } from "@gantry/sdk";
import type { ToolQuestions, Turns } from "@gantry/sdk";
import type { Doors } from "../shared/rights-now.ts";
import { approvalWork } from "./approval-events.ts";
import { configWork } from "./config-work.ts";
import { logWork } from "./log-events.ts";
import { markdownWork } from "./markdown-work.ts";
import { pageWork } from "./page-files.ts";
import type { ConsoleWork } from "./routes.ts";
import { TurnLogs } from "./turn-logs.ts";
import { turnWork } from "./turn-work.ts";
import { Uploads, uploadWork } from "./uploads.ts";

export interface ConsoleNeeds {
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly configFile: ConfigFile;
  readonly doors: Doors;
  readonly inbox: Inbox;
  readonly media: Media | undefined;
  readonly questions: ToolQuestions | undefined;
  readonly providers: Providers;
  readonly runtime: Runtime;
  readonly store: Store;
  readonly turns: Turns;
}

export interface Console {
  readonly work: ConsoleWork;
  /** Waits for the turns that run, until `signal`. */
  stop(signal: AbortSignal): Promise<void>;
}

/** Opens the console; `base` is the address of its plugin. */
export function openConsole(needs: ConsoleNeeds, base: string): Console {
  const logs = new TurnLogs(needs.inbox, needs.doors);
  const uploads = new Uploads();
  return {
    work: {
      ...pageWork(base),
      ...turnWork(logs, needs, uploads),
      ...configWork(needs.configFile, needs.audit),
      upload: uploadWork(uploads, needs.media),
      approvalEvents: approvalWork(needs.approvals),
      markdown: markdownWork,
      logEvents: logWork,
    },
    stop: (signal) => logs.stop(signal),
  };
}
