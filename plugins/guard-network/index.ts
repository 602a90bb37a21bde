import { ask, definePlugin, GantryError, Net, optional, refuse, Sandbox, ShellReader } from "@gantry/sdk";
import { unsaidIn, urlsOf } from "./command-urls.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "guard-network",
  summary: "Keeps outbound addresses to the allowed domains.",
  needs: { net: Net, shell: optional(ShellReader), sandbox: optional(Sandbox) },
  taps: ["beforeToolCall"],
  errors,
  setup({ hooks, needs: { net, shell, sandbox } }) {
    hooks.beforeToolCall.tap(
      async ({ effects }) => {
        const urls = new Set(effects.urls);
        let unsaid: string | undefined;
        try {
          for (const command of shell ? effects.commands : []) {
            const reading = await shell!.read(command);
            for (const url of urlsOf(reading)) urls.add(url);
            unsaid ??= unsaidIn(reading);
          }
        } catch (error) {
          if (error instanceof GantryError) return refuse(error);
          throw error;
        }
        for (const url of urls) {
          const no = await net.check(url);
          if (no) return no;
        }
        // The walls bind what such a program reaches.
        if (unsaid === undefined || (await sandbox?.policy())?.network === true) return undefined;
        return ask(errors.NET_UNSAID(unsaid));
      },
      // Names are looked up, each within ten seconds.
      { timeoutMs: 30_000 },
    );
  },
});
