import { Commands, definePlugin } from "@gantry/sdk";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "service-upgrade",
  summary: "The word `upgrade --check`: what another release would change here.",
  provides: [Commands],
  errors,
  setup(host) {
    host.provide(Commands, {
      name: "upgrade",
      summary:
        "what another release would change for this configuration; exit code 1 where it would not start",
      options: [
        {
          flags: "--check <release>",
          summary:
            "its package file, executable or installed folder: its code reads the configuration and starts nothing",
        },
        { flags: "--json", summary: "print JSON" },
      ],
      run: async (words) => (await import("./look.ts")).look(words),
    });
  },
});
