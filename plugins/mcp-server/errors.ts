import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  MCP_SERVE_NO_INPUT: failed("This release of Gantry gives commands no input: install a newer one."),
  MCP_SERVE_NO_CALLS: failed("This release of Gantry runs tools in turns alone: install a newer one."),
  MCP_SERVE_NO_TOOL: failed(
    "mcp.serve.tools names `%s`, which no tool is called%s: correct the name, or take it out.",
  ),
});
