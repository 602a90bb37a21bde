import { ConfigEditor } from "@gantry/sdk/fill";
import { definePlugin } from "@gantry/sdk";

export default definePlugin({
  name: "config-edit",
  summary: "Edits of config.toml: one key changes, comments and layout stay.",
  provides: [ConfigEditor],
  setup(host) {
    host.provide(ConfigEditor, {
      // The parser is loaded with the first edit.
      edit: async (text, changes) => (await import("./edit.ts")).edit(text, changes),
    });
  },
});
