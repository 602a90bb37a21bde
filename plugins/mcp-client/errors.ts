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
  MCP_CLASH: usage(
    "The MCP server %s has a %s that is called %s here, as one of the MCP server %s is, so it is left out: give one of the two servers another name.",
  ),
  MCP_PACKAGE: usage(
    "`%s` does not name one exact version of a package: write npm:NAME@1.2.3, so that what runs is what you accept.",
  ),
  MCP_NPM: failed("The package %s was not installed (%s): check its name and version, npm and the network."),
  MCP_PACKAGE_REFUSED: policy(
    "The package %s is not used (%s): take another version, or install it yourself and name its program behind --.",
  ),
  MCP_PAIR: usage("`%s` is no variable or header: write it as name=value."),
  MCP_LOGIN: policy("The MCP server %s wants a login: log in with `gantry mcp login %s`."),
  MCP_LOGIN_SCOPE: policy(
    "The MCP server %s wants more scopes than its login has (%s): log in again with `gantry mcp login %s`.",
  ),
  MCP_LOGIN_ISSUER: policy(
    "The MCP server %s names %s for its login, and the login there is belongs to %s: if that is right, run `gantry mcp logout %s`, then `gantry mcp login %s`.",
  ),
  MCP_LOGIN_HOST: policy(
    "The login of the MCP server %s is at %s, and nobody said that it may be asked: answer with y, or give --yes.",
  ),
  MCP_LOGIN_FAILED: failed("The login at the MCP server %s failed: %s."),
  MCP_LOGIN_UNREADABLE: failed(
    "%s cannot be read (%s): run `gantry mcp logout %s`, then `gantry mcp login %s`.",
  ),
  MCP_LOGIN_NO_URL: usage(
    "The MCP server %s is a program, which has no login: give it what it needs in env.",
  ),
  MCP_OTHER: policy(
    "The MCP server %s lists something else than what was shown: look at it again before you accept it.",
  ),
  MCP_NOT_CONFIRMED: policy(
    "Nothing was accepted: answer the question with y, or give --yes if nobody is asked.",
  ),
});
