import type { Plugin, Runtime } from "@gantry/sdk";
import { loadsOf, type ConfigText } from "./config/check.ts";
import type { LeftOut } from "./plugins/load-chosen.ts";
import type { LoadedPlugin } from "./plugins/loader.ts";
import { workspaceNow } from "./tools/workspace-now.ts";
import { version } from "./version.ts";

interface Facts extends Pick<Runtime, "configDir" | "configFile" | "workspace"> {
  readonly plugins: readonly LoadedPlugin[];
  readonly leftOut?: readonly LeftOut[];
  readonly problems?: Runtime["problems"] | undefined;
  readonly absent?: () => Promise<readonly Plugin[]>;
  readonly config: { readonly text: ConfigText };
}

/** Where things are and what runs, for plugins; `failed` names those that failed since the start. */
export function runtimeOf(options: Facts, failed: ReadonlySet<string>): Runtime {
  const { configDir, configFile, workspace, plugins, leftOut = [], problems = [] } = options;
  return Object.freeze({
    version,
    configDir,
    configFile,
    workspace,
    workspaceNow: () => workspaceNow() ?? workspace,
    started: Date.now(),
    problems: Object.freeze([...problems]),
    get plugins() {
      const running = plugins.map(({ plugin: { name, provides = [] }, from }) => ({
        name,
        from,
        provides: provides.map(({ id }) => id),
        state: failed.has(name) ? ("failed" as const) : ("running" as const),
      }));
      const lacking = leftOut.map(({ name }) => ({ name, from: name, state: "left out" as const }));
      return [...running, ...lacking];
    },
    absent: async () =>
      ((await options.absent?.()) ?? []).map(({ name, provides = [] }) => {
        return { name, provides: provides.map(({ id }) => id), cure: loadsOf(options.config.text, name) };
      }),
  });
}
