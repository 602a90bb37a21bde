import {
  Approvals,
  Commands,
  definePlugin,
  Inbox,
  Media,
  optional,
  Routes,
  Runtime,
  ToolCatalog,
  ToolQuestions,
} from "@gantry/sdk";
import { config } from "./config.ts";
import type { HttpDoor } from "./http-door.ts";
import { errors } from "./errors.ts";
import { mcpRoutes } from "./routes.ts";

export default definePlugin({
  name: "mcp-server",
  summary:
    "Gantry as an MCP server: `mcp serve` on stdio and POST /mcp, with turns, memory and the tools in mcp.serve.tools.",
  table: "mcp.serve",
  config,
  needs: {
    approvals: Approvals,
    catalog: ToolCatalog,
    inbox: Inbox,
    media: optional(Media),
    questions: optional(ToolQuestions),
    runtime: Runtime,
  },
  provides: [Commands, Routes],
  errors,
  setup(host) {
    const { log, signal, needs } = host;
    const all = { ...needs, log, listed: host.config.tools };
    let opened: Promise<HttpDoor> | undefined;
    const load = async (): Promise<HttpDoor> => new (await import("./http-door.ts")).HttpDoor(all, signal);
    for (const route of mcpRoutes(() => (opened ??= load()))) host.provide(Routes, route);
    host.provide(Commands, {
      name: "mcp serve",
      summary: "be an MCP server on stdin and stdout, for the program that starts it",
      ownsStdout: true,
      run: async (run) => (await import("./stdio-door.ts")).serveStdin(run, all),
    });
  },
});
