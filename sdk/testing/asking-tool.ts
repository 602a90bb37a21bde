import { Type } from "typebox";
import { ask, definePlugin, defineTool, Tools, type Plugin } from "../index.ts";

export interface AskingTool {
  readonly plugin: Plugin;
  readonly toolName: string;
  /** Returns the number of times that it ran. */
  runs(): number;
}

/** A tool that runs only if a person says so; `message` is the reason that they are told. */
export function askingTool(message: string = "It asks."): AskingTool {
  let runs = 0;
  const tool = defineTool({
    name: "asking",
    description: "Counts.",
    input: Type.Object({}),
    async run() {
      runs += 1;
      return "ran";
    },
  });
  const plugin = definePlugin({
    name: "tool-asking",
    provides: [Tools],
    taps: ["beforeToolCall"],
    setup(host) {
      host.provide(Tools, tool);
      host.hooks.beforeToolCall.tap(() => ask({ code: "ASKING", message }));
    },
  });
  return { plugin, toolName: tool.name, runs: () => runs };
}
