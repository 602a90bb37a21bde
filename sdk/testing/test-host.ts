import type { Plugin } from "../index.ts";
import type { AlonePlugin, Around, TestHost, TestHostOptions } from "./test-host-types.ts";

export type { AlonePlugin, Around, LogLine, TestCall, TestHost, TestHostOptions } from "./test-host-types.ts";

/**
 * Starts the real host with these plugins: no network, no files but a directory of its own. Needs
 * @gantry/host beside the sdk.
 */
export async function startTestHost(options: TestHostOptions): Promise<TestHost> {
  const host = await import("./real-host.ts");
  return host.startTestHost(options);
}

/** Reads a file as config.toml is read. Throws CONFIG_*. Needs @gantry/host beside the sdk. */
export async function readConfig(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { openLoader } = await import("./real-host.ts");
  return openLoader(process.cwd()).config(file);
}

/**
 * A plugin that comes with Gantry, as `gantry plugins list` names it, for a test that wants the
 * real thing: walls, a network, the tools over a memory. Throws `PLUGIN_NOT_FOUND`. Needs
 * @gantry/host beside the sdk.
 */
export async function bundledPlugin(name: string): Promise<Plugin> {
  const { openLoader } = await import("./real-host.ts");
  return openLoader(process.cwd()).load(name);
}

/**
 * Loads a plugin, by a bundled name or a path, to run without a host around it. `configDir`: the
 * folder in which it may keep what it compiles. Throws PLUGIN_*. Needs @gantry/host beside the sdk.
 */
export async function loadAlone(
  name: string,
  configDir: string,
): Promise<{ readonly plugin: Plugin; start(config: unknown, around: Around): AlonePlugin }> {
  const { openLoader } = await import("./real-host.ts");
  const loader = openLoader(configDir);
  const plugin = await loader.load(name);
  return { plugin, start: (config, around) => loader.alone(plugin, config, around) };
}
