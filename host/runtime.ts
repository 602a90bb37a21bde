import type { AnySlot, Plugin, Runtime } from "@gantry/sdk";
import { loadsOf, type ConfigText } from "./config/check.ts";
import type { LeftOut } from "./plugins/load-chosen.ts";
import type { LoadedPlugin } from "./plugins/loader.ts";
import type { Lacking } from "./plugins/setup-fault.ts";
import { workspaceNow } from "./tools/workspace-now.ts";
import { version } from "./version.ts";

interface Facts extends Pick<Runtime, "configDir" | "configFile" | "workspace"> {
  readonly plugins: readonly LoadedPlugin[];
  readonly leftOut?: readonly LeftOut[];
  readonly problems?: Runtime["problems"] | undefined;
  readonly absent?: () => Promise<readonly Plugin[]>;
  readonly config: { readonly text: ConfigText };
}

/** The plugins that failed or are lacking since the start. */
export interface Fates {
  readonly failed: ReadonlySet<string>;
  readonly lacking: readonly Lacking[];
}

/** Returns where things are and what runs, for plugins. */
export function runtimeOf(options: Facts, { failed, lacking }: Fates): Runtime {
  const { configDir, configFile, workspace, plugins, leftOut = [], problems = [] } = options;
  return Object.freeze({
    version,
    configDir,
    configFile,
    workspace,
    workspaceNow: () => workspaceNow() ?? workspace,
    started: Date.now(),
    get problems() {
      return [...problems, ...lacking];
    },
    get plugins() {
      const running = plugins
        .filter(({ plugin }) => !lacking.some((one) => one.lacking === plugin.name))
        .map(({ plugin: { name, summary, needs = {}, provides = [], taps = [] }, from }) => ({
          name,
          from,
          ...(summary !== undefined && { summary }),
          needs: Object.values<AnySlot>(needs).map(({ id }) => id),
          provides: provides.map(({ id }) => id),
          taps,
          state: failed.has(name) ? ("failed" as const) : ("running" as const),
        }));
      const absent = leftOut.map(({ name }) => ({ name, from: name, state: "left out" as const }));
      return [...running, ...absent];
    },
    absent: async () =>
      ((await options.absent?.()) ?? []).map(({ name, provides = [] }) => {
        return { name, provides: provides.map(({ id }) => id), cure: loadsOf(options.config.text, name) };
      }),
  });
}
