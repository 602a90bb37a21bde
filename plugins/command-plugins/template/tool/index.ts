import { definePlugin, Tools } from "@gantry/sdk";
import { Type } from "typebox";
import { createTool } from "./tool.ts";

export default definePlugin({
  name: "tool-example",
  summary: "Greets people: put your own line here.",
  config: Type.Object({ greeting: Type.String({ default: "Hello", description: "The first word." }) }),
  provides: [Tools],
  setup(host) {
    host.provide(Tools, createTool(host.config.greeting));
  },
});
