import type { Audit, ConfigFile, Net, Store } from "@gantry/sdk";
import type { Loopback } from "@gantry/sdk/fill";
import type { McpServers } from "./servers.ts";

/** The parts that the words work on. */
export interface WordsNeeds {
  servers(): Promise<McpServers>;
  readonly audit: Audit;
  readonly configFile: ConfigFile;
  readonly configDir: string;
  readonly net: Net | undefined;
  readonly store: Store;
  /** Undefined: logins come back by pasting alone. */
  readonly loopback: Loopback | undefined;
}
