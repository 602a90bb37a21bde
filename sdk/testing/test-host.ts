import type { Plugin } from "../index.ts";
import type { TestHost, TestHostOptions } from "./test-host-types.ts";

export type { LogLine, TestCall, TestHost, TestHostOptions } from "./test-host-types.ts";

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
