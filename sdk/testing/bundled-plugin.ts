import type { Plugin } from "../index.ts";

/**
 * A plugin of Gantry's own by its name, for a test that wants the real thing: `sandbox-landlock` for walls, `net-undici` for a
 * network, `tool-memory` for the tools over a memory. Throws `PLUGIN_NOT_FOUND`. Needs @gantry/host beside the sdk.
 */
export async function bundledPlugin(name: string): Promise<Plugin> {
  const { openLoader } = await import("@gantry/host/testing");
  return openLoader(process.cwd()).load(name);
}
