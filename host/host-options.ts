import type { AnySlot, ConfigFile, Filled, Plugin, Runtime } from "@gantry/sdk";
import type { Configured } from "./config/configure.ts";
import type { LeftOut } from "./plugins/load-chosen.ts";
import type { HookTable } from "./plugins/hook-table.ts";
import type { LoadedPlugin } from "./plugins/loader.ts";
import type { Registry } from "./plugins/registry.ts";
import type { Audit } from "./record/audit.ts";
import type { LogWriter } from "./record/log-lines.ts";

/** The parts of the running host that the editor of the configuration needs. */
export interface EditingHost {
  readonly audit: Audit;
  get<S extends AnySlot>(slot: S): Filled<S> | undefined;
}

/** A host whose plugins are set up, for a check of the names in its configuration. */
export interface SetUpHost {
  readonly options: Pick<HostOptions, "config">;
  readonly hooks: HookTable;
  readonly registry: Registry;
}

export interface HostOptions {
  readonly plugins: readonly LoadedPlugin[];
  readonly config: Configured;
  /** Optional plugins that could not be loaded, and faults in the file that were left out of it. */
  readonly leftOut?: readonly LeftOut[];
  readonly problems?: Runtime["problems"] | undefined;
  /** Reads the plugins of the base set that the configuration leaves out. */
  readonly absent?: () => Promise<readonly Plugin[]>;
  /** True if the program around the host decides which calls run, as the test kit does. */
  readonly levelHeldOutside?: boolean;
  /** The plugins that come with it, loaded or not. */
  readonly bundled: () => Promise<readonly Plugin[]>;
  readonly configDir: string;
  readonly configFile: string;
  readonly configEditor: (host: EditingHost) => ConfigFile;
  /** Called once every plugin is set up; a throw stops the start. */
  readonly check?: (host: SetUpHost) => Promise<void>;
  /** Absolute, exists. */
  readonly workspace: string;
  readonly write: LogWriter;
  readonly debug?: boolean;
  /** Milliseconds: a hook's answer, a plugin's setup, a person's word. */
  readonly timeouts?: { readonly hook?: number; readonly plugin?: number; readonly approval?: number };
}
