import type { Audit, ConfigFile, Runtime, Sandbox, Upstream } from "@gantry/sdk";

export interface PluginNeeds {
  readonly audit: Audit;
  readonly configFile: ConfigFile;
  readonly runtime: Runtime;
  readonly sandbox: Sandbox | undefined;
  readonly upstream: Upstream | undefined;
  /** The `import.meta.url` of the index. */
  readonly base: string;
}
