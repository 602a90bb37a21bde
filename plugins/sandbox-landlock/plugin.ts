import path from "node:path";
import {
  Audit,
  Checks,
  Commands,
  Net,
  type Plugin,
  Runtime,
  Sandbox,
  Store,
  definePlugin,
  optional,
} from "@gantry/sdk";
import { entryBeside } from "@gantry/sdk/node";
import type { Static } from "typebox";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Homes } from "./service/homes.ts";
import { Openings } from "./service/openings.ts";
import { sandboxOf } from "./service/provided.ts";
import type { Place } from "./service/state.ts";
import { Walled } from "./service/walled.ts";
import { runCommands } from "./view/commands.ts";
import { runsFolder } from "./view/runs-folder.ts";

/** `base`: the address of the file beside which the entries stand. */
export function sandboxPlugin(base: string, bounds: Omit<Place, "base" | "layers"> = {}): Plugin {
  return definePlugin({
    name: "sandbox-landlock",
    summary: "Starts processes and opens files from processes behind kernel walls.",
    table: "",
    config,
    needs: { runtime: Runtime, net: optional(Net), audit: optional(Audit), store: optional(Store) },
    provides: [Sandbox, Checks, Commands],
    taps: ["beforeToolCall"],
    enforces: [
      "security.runs",
      "security.sandboxing.landlock_enabled",
      "security.sandboxing.allowed_read_paths",
      "security.sandboxing.allowed_write_paths",
    ],
    errors,
    setup(host) {
      const { configDir, workspace } = host.needs.runtime;
      const layers = runsFolder(path.join(configDir, "state"), workspace);
      const place = { base, ...bounds, layers };
      const walled = new Walled(host.config, host.needs, place);
      const at = (home: string): Walled => new Walled(host.config, host.needs, place, home);
      const homes = new Homes(host.needs.runtime, walled, at);
      const openings = new Openings(host.config, host.needs, place, (...what) => walled.record(...what));
      host.provide(Sandbox, sandboxOf(homes, openings, confining(base, host.config)));
      for (const kind of ["status", "doctor"] as const)
        host.provide(Checks, { name: `sandbox-${kind}`, kind, run: () => walled.check() });
      const { secret_files: secret, guarded_files: guarded } = host.config.security;
      const lists = { secret, guarded };
      for (const command of runCommands(layers, workspace, lists, host.needs.store))
        host.provide(Commands, command);
      host.hooks.beforeToolCall.tap((call) => walled.judge(call));
      host.onServe(() => walled.load());
      host.onDispose(() => homes.close());
      host.onDispose(() => openings.close());
    },
  });
}

/**
 * Returns the module for the parsers, which their process loads; undefined if walls are switched
 * off, or this system has none.
 */
function confining(base: string, { security }: Static<typeof config>): string | undefined {
  const wanted = security.sandboxing.landlock_enabled;
  if (wanted === false) return undefined;
  const { href } = entryBeside(base, "confining-worker").url;
  if (wanted === true) return `${href}?required`;
  return process.platform === "linux" ? href : undefined;
}
