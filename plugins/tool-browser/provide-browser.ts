import path from "node:path";
import { Checks, MaterialFolders, Observers, type PluginHost, Tools } from "@gantry/sdk";
import { Backends } from "./backends.ts";
import { checkBrowser } from "./check.ts";
import type { BrowserConfig } from "./config.ts";
import type { needs } from "./needs.ts";
import { Sessions } from "./sessions.ts";
import { browserTool } from "./tool.ts";

/** All that the plugin does where the browser is enabled. */
export function provideBrowser(host: PluginHost<BrowserConfig, typeof needs>, idleMs: number): void {
  const { tools } = host.config;
  const backends = new Backends(host.config, host.needs);
  const sessions = new Sessions((signal) => backends.start(signal), idleMs, host.signal);
  host.provide(
    Tools,
    browserTool({
      ...host.needs,
      sessions,
      timeoutMs: tools.browser_timeout_seconds * 1_000,
      maxOutputBytes: tools.max_output_bytes,
    }),
  );
  const { browser_downloads: folder } = tools;
  if (folder !== undefined) {
    const downloads = path.join(host.needs.runtime.workspace, folder);
    host.provide(MaterialFolders, {
      name: "browser",
      folder: downloads,
      material: "what a browser downloaded",
    });
  }
  for (const kind of ["status", "doctor"] as const) {
    const run = () => checkBrowser(host.config, host.needs, kind === "doctor");
    host.provide(Checks, { name: `browser-${kind}`, kind, run });
  }
  host.provide(Observers, { name: "browser", sessionEnded: ({ session }) => sessions.end(session) });
  host.onReady(
    () =>
      void backends
        .endLeft()
        .catch((error: unknown) =>
          host.log.warn({ error: String(error) }, "a browser session that was left could not be ended"),
        ),
  );
  host.onDispose(async () => {
    await sessions.close();
    await backends.close();
  });
}
