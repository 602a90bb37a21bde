import type { CommandContext } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { AcceptedFile } from "./accepted.ts";
import { errors } from "./errors.ts";
import { removeLogins } from "./login-file.ts";
import { removePackage } from "./package-folder.ts";
import { packageSpec } from "./package-spec.ts";
import { checkName } from "./settings.ts";
import type { WordsNeeds } from "./words-needs.ts";

/**
 * `gantry mcp add NAME ADDRESS`, `… npm:PACKAGE@VERSION -- ARGS` or `… -- PROGRAM ARGS`: writes the
 * table. Throws MCP_CONFIG, MCP_EXISTS, MCP_PACKAGE, CONFIG_*, and what the installation throws.
 */
export async function add(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const [name = "", address = ""] = run.args;
  checkName(name);
  const spec = packageSpec(address);
  const given = givenKeys(run);
  if (spec) await (await import("./words-package.ts")).addPackage(run, needs, spec, given);
  else await addAddress(run, needs, given);
  run.err(`Added ${name}: look at what it offers with \`gantry mcp accept ${name}\`.`);
  return 0;
}

async function addAddress(
  run: CommandContext,
  { configFile }: WordsNeeds,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [name = "", address = "", ...args] = run.args;
  const at = `mcp.servers.${name}`;
  if (configFile.get(at) !== undefined) throw errors.MCP_EXISTS(name, name);
  const isUrl = /^https?:\/\//i.test(address);
  const keys: Record<string, unknown> = {
    ...(isUrl ? { url: address } : { command: address }),
    ...(args.length > 0 && { args }),
    ...given,
  };
  const changes = Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${at}.${key}`, value]));
  await configFile.set(changes);
}

function givenKeys({ options }: CommandContext): Readonly<Record<string, unknown>> {
  return {
    ...listOf("allowed_domains", options["domain"]),
    ...listOf("read_paths", options["read"]),
    ...listOf("write_paths", options["write"]),
    ...pairsOf("env", options["env"]),
    ...pairsOf("headers", options["header"]),
  };
}

/**
 * `gantry mcp remove NAME`: takes out the table and the package, and forgets what was accepted.
 * Throws MCP_UNKNOWN, CONFIG_*.
 */
export async function remove(
  run: CommandContext,
  { servers, configFile, configDir }: WordsNeeds,
): Promise<number> {
  const [name = ""] = run.args;
  checkName(name);
  await removeLogins(configDir, name);
  const isKept = await new AcceptedFile(configDir, name).remove();
  const names = (await servers()).all.map((server) => server.name);
  const isInstalled = await removePackage(configDir, name);
  if (!names.includes(name) && !isKept && !isInstalled)
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
