import { definePlugin, GantryError, Net, optional, refuse, ShellReader } from "@gantry/sdk";
import { urlsOf } from "./command-urls.ts";

export default definePlugin({
  name: "guard-network",
  summary: "Keeps outbound addresses to the allowed domains.",
  needs: { net: Net, shell: optional(ShellReader) },
  taps: ["beforeToolCall"],
  setup({ hooks, needs: { net, shell } }) {
    hooks.beforeToolCall.tap(
      async ({ effects }) => {
        const urls = new Set(effects.urls);
        try {
          for (const command of effects.commands)
            for (const url of shell ? urlsOf(await shell.read(command)) : []) urls.add(url);
        } catch (error) {
          if (error instanceof GantryError) return refuse(error);
          throw error;
        }
        for (const url of urls) {
          const no = await net.check(url);
          if (no) return no;
        }
        return undefined;
      },
      // Names are looked up, each within ten seconds.
      { timeoutMs: 30_000 },
    );
  },
});
