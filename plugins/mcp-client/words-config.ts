import type { CommandContext } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { AcceptedFile } from "./accepted.ts";
import { errors } from "./errors.ts";
import { removeLogins } from "./login-file.ts";
import { checkName } from "./settings.ts";
import type { WordsNeeds } from "./words-needs.ts";

/** `gantry mcp add NAME ADDRESS` or `… -- PROGRAM ARGS`: writes the table. Throws MCP_CONFIG, MCP_EXISTS, CONFIG_*. */
export async function add(run: CommandContext, { configFile }: WordsNeeds): Promise<number> {
  const [name = "", address = "", ...args] = run.args;
  checkName(name);
  const at = `mcp.servers.${name}`;
  if (configFile.get(at) !== undefined) throw errors.MCP_EXISTS(name, name);
  const isUrl = /^https?:\/\//i.test(address);
  const { options } = run;
  const keys: Record<string, unknown> = {
    ...(isUrl ? { url: address } : { command: address }),
    ...(args.length > 0 && { args }),
    ...listOf("allowed_domains", options["domain"]),
    ...listOf("read_paths", options["read"]),
    ...listOf("write_paths", options["write"]),
    ...pairsOf("env", options["env"]),
    ...pairsOf("headers", options["header"]),
  };
  const changes = Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${at}.${key}`, value]));
  await configFile.set(changes);
  run.err(`Added ${name}: look at what it offers with \`gantry mcp accept ${name}\`.`);
  return 0;
}

/** `gantry mcp remove NAME`: takes out the table, and forgets what was accepted. Throws MCP_UNKNOWN, CONFIG_*. */
export async function remove(
  run: CommandContext,
  { all, configFile, configDir }: WordsNeeds,
): Promise<number> {
  const [name = ""] = run.args;
  checkName(name);
  await removeLogins(configDir, name);
  const isKept = await new AcceptedFile(configDir, name).remove();
  const names = (await all()).map((server) => server.name);
  if (!names.includes(name) && !isKept)
    throw errors.MCP_UNKNOWN(printable(name, 64), names.join(", ") || "none");
  if (names.includes(name)) await configFile.set({ [`mcp.servers.${name}`]: undefined });
  run.err(`Removed ${name}.`);
  return 0;
}

function listOf(key: string, value: unknown): Record<string, unknown> {
  return Array.isArray(value) && value.length > 0 ? { [key]: value } : {};
}

/** Reads `NAME=value` each. Throws MCP_PAIR. */
function pairsOf(key: string, value: unknown): Record<string, unknown> {
  const given = Array.isArray(value) ? (value as readonly string[]) : [];
  if (given.length === 0) return {};
  const pairs = given.map((pair) => {
    const [, name, text] = /^([\w-]+)=([^]*)$/.exec(pair) ?? [];
    if (name === undefined || text === undefined) throw errors.MCP_PAIR(printable(pair, 80));
    return [name, text];
  });
  return { [key]: Object.fromEntries(pairs) as Record<string, string> };
}
