import {
  Audit,
  Checks,
  Media,
  Net,
  Observers,
  Pages,
  type Plugin,
  Runtime,
  Sandbox,
  Tools,
  Upstream,
  definePlugin,
  optional,
} from "@gantry/sdk";
import { Backends } from "./backends.ts";
import { checkBrowser } from "./check.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { onboarding } from "./onboarding.ts";
import { Sessions } from "./sessions.ts";
import { browserTool } from "./tool.ts";

/** A conversation that asks nothing of its browser for so long has none any more. */
const IDLE_MS = 300_000;

export function browserPlugin(idleMs = IDLE_MS): Plugin {
  return definePlugin({
    name: "tool-browser",
    summary: "browser: opens pages, clicks and types, in a browser behind the checked way out.",
    table: "",
    config,
    needs: {
      runtime: Runtime,
      net: optional(Net),
      pages: optional(Pages),
      sandbox: optional(Sandbox),
      upstream: optional(Upstream),
      media: optional(Media),
      audit: optional(Audit),
    },
    provides: [Tools, Checks, Observers],
    onboarding,
    errors,
    setup(host) {
      const { security, tools } = host.config;
      const backends = new Backends(host.config, host.needs);
      const sessions = new Sessions((signal) => backends.start(signal), idleMs, host.signal);
      host.provide(
        Tools,
        browserTool({
          ...host.needs,
          sessions,
          enabled: security.browser_enabled,
          timeoutMs: tools.browser_timeout_seconds * 1_000,
          maxOutputBytes: tools.max_output_bytes,
        }),
      );
      for (const kind of ["status", "doctor"] as const) {
        const run = () => checkBrowser(host.config, host.needs, kind === "doctor");
        host.provide(Checks, { name: `browser-${kind}`, kind, run });
      }
      host.provide(Observers, { name: "browser", sessionEnded: ({ session }) => sessions.end(session) });
      if (security.browser_enabled)
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
    },
  });
}
