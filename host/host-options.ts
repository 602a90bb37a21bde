import type { AnySlot, ConfigFile, Filled, Plugin, Runtime } from "@gantry/sdk";
import type { Configured } from "./config/configure.ts";
import type { LeftOut } from "./plugins/load-chosen.ts";
import type { LoadedPlugin } from "./plugins/loader.ts";
import type { Audit } from "./record/audit.ts";
import type { LogWriter } from "./record/log-lines.ts";

/** What the editor of the configuration asks of the host that runs. */
export interface EditingHost {
  readonly audit: Audit;
  get<S extends AnySlot>(slot: S): Filled<S> | undefined;
}

export interface HostOptions {
  readonly plugins: readonly LoadedPlugin[];
  readonly config: Configured;
  /** Optional plugins that could not be loaded, and what is wrong in the file and was left out of it. */
  readonly leftOut?: readonly LeftOut[];
  readonly problems?: Runtime["problems"] | undefined;
  /** Reads the plugins of the base set that the configuration leaves out. */
  readonly absent?: () => Promise<readonly Plugin[]>;
  /** True if the program around the host decides which calls run, as the test kit does. */
  readonly levelHeldOutside?: boolean;
  /** What comes with it, loaded or not. */
  readonly bundled: () => Promise<readonly Plugin[]>;
  readonly configDir: string;
  readonly configFile: string;
  readonly configEditor: (host: EditingHost) => ConfigFile;
  /** Absolute, exists. */
  readonly workspace: string;
  readonly write: LogWriter;
  readonly debug?: boolean;
  /** Milliseconds: a hook's answer, a plugin's setup, a person's word. */
  readonly timeouts?: { readonly hook?: number; readonly plugin?: number; readonly approval?: number };
}
