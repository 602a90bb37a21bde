import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  MCP_CONFIG: usage("%s %s: %s."),
  MCP_UNKNOWN: usage("No MCP server `%s` is configured; there are: %s."),
  MCP_NOT_ACCEPTED: policy(
    "The MCP server %s is not accepted: look at its tools and accept them with `gantry mcp accept %s`.",
  ),
  MCP_CHANGED: policy(
    "%s of the MCP server %s changed after it was accepted, so it is not used: see `gantry mcp diff %s`, then `gantry mcp accept %s` if the change is right.",
  ),
  MCP_ASKS: policy(
    '%s: a person approves each call of an MCP tool, unless the tools of its server name it with "allow".',
  ),
  MCP_FAILED: failed("The MCP server %s cannot be used: %s; try `gantry mcp check %s`."),
  MCP_CALL: failed("The MCP server %s refused the call of %s: %s"),
  MCP_LINE: failed("The MCP server wrote a message of more than %s bytes, so it was stopped."),
  MCP_LIST: failed("The MCP server lists more than %s %s: use one that offers fewer."),
  MCP_UNREADABLE: failed("%s cannot be read (%s): accept the server again with `gantry mcp accept %s`."),
  MCP_NO_SANDBOX: failed(
    "Nothing walls an MCP server off, as no plugin fills the slot sandbox: list one, see `gantry plugins list`.",
  ),
  MCP_NO_NET: failed(
    "Nothing reaches an MCP server, as no plugin fills the slot net: list one, see `gantry plugins list`.",
  ),
  MCP_EXISTS: usage(
    "The table mcp.servers.%s is there already: take it out with `gantry mcp remove %s` first.",
  ),
  MCP_PAIR: usage("`%s` is no variable or header: write it as name=value."),
  MCP_NOT_CONFIRMED: policy(
    "Nothing was accepted: answer the question with y, or give --yes if nobody is asked.",
  ),
});
