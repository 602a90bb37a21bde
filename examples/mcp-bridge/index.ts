import { definePlugin, Media, optional, Sandbox, ToolSources } from "@gantry/sdk";
import { Type } from "typebox";
import { createBridge } from "./bridge.ts";

export default definePlugin({
  name: "mcp-bridge",
  summary: "Offers the tools of an MCP server that is started behind the walls.",
  config: Type.Object({
    command: Type.Array(Type.String(), {
      default: [],
      description: "Program and arguments of the server; empty: none.",
    }),
    read: Type.Array(Type.String(), { default: [], description: "Paths that the server may read." }),
  }),
  needs: { sandbox: Sandbox, media: optional(Media) },
  provides: [ToolSources],
  setup(host) {
    const { command: argv, read } = host.config;
    if (argv.length === 0) return;
    // The server starts with the first list and ends with the plugin: nothing runs for `gantry
    // status`.
    const start = () => host.needs.sandbox.open({ argv, read, signal: host.signal });
    host.provide(ToolSources, createBridge("mcp", start, host.needs.media));
  },
});
