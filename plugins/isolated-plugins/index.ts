import { definePlugin, type Plugin } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "isolated-plugins",
  summary: "Runs the plugins of `isolated_plugins` unchanged, each in a walled process of its own.",
  table: "",
  config: Type.Object({
    isolated_plugins: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        "Plugins that run in a walled process of their own each, named as in `plugins`, where they need not stand too. What such a plugin guards is refused while its process does not answer.",
    }),
  }),
  errors,
  setup() {},
});

/** Loads a plugin that `isolated_plugins` names, in place of the host. Throws `ISOLATED_*`. */
export async function load(name: string, file: string | undefined): Promise<Plugin> {
  const { loadFor } = await import("./load.ts");
  return loadFor(import.meta.url, name, file);
}
