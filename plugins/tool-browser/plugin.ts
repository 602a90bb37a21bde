import { Checks, MaterialFolders, Observers, type Plugin, Tools, definePlugin } from "@gantry/sdk";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { needs } from "./needs.ts";
import { onboarding } from "./onboarding.ts";

/** A conversation that asks nothing of its browser for so long has none any more. */
const IDLE_MS = 300_000;

export function browserPlugin(idleMs = IDLE_MS): Plugin {
  return definePlugin({
    name: "tool-browser",
    summary: "browser: opens pages, clicks and types, in a browser behind the checked way out.",
    table: "",
    config,
    needs,
    provides: [Tools, Checks, Observers, MaterialFolders],
    onboarding,
    errors,
    // If it is off, which is the default, no more of it is loaded.
    async setup(host) {
      if (!host.config.security.browser_enabled) return;
      const { provideBrowser } = await import("./provide-browser.ts");
      provideBrowser(host, idleMs);
    },
  });
}
