import type { Audit, ConfigFile } from "@gantry/sdk";
import type { McpServer } from "./server.ts";

/** What the words work on. */
export interface WordsNeeds {
  all(): Promise<readonly McpServer[]>;
  readonly audit: Audit;
  readonly configFile: ConfigFile;
  readonly configDir: string;
}
