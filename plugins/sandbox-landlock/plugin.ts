import { Checks, Net, type Plugin, Sandbox, Runtime, definePlugin, optional } from "@gantry/sdk";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { sandboxOf } from "./provided.ts";
import { Walled } from "./walled.ts";

/** `base`: the address of the file beside which the workers stand. `abiCap`: Landlock levels above it are not used. */
export function sandboxPlugin(base: string, abiCap?: number): Plugin {
  return definePlugin({
    name: "sandbox-landlock",
    summary: "Starts processes and opens files from a thread behind kernel walls.",
    table: "",
    config,
    needs: { runtime: Runtime, net: optional(Net) },
    provides: [Sandbox, Checks],
    taps: ["beforeToolCall"],
    errors,
    setup(host) {
      const walled = new Walled(host.config, host.needs, { base, ...(abiCap !== undefined && { abiCap }) });
      host.provide(Sandbox, sandboxOf(walled));
      for (const kind of ["status", "doctor"] as const)
        host.provide(Checks, { name: `sandbox-${kind}`, kind, run: () => walled.check() });
      host.hooks.beforeToolCall.tap((call) => walled.judge(call));
      host.onServe(() => walled.load());
      host.onDispose(() => walled.close());
    },
  });
}
