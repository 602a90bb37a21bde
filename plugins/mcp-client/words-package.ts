import path from "node:path";
import type { CommandContext } from "@gantry/sdk";
import { nodeCommand, userOfTerminal } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { packageFolder } from "./package-folder.ts";
import { installPackage } from "./package-install.ts";
import type { PackageSpec } from "./package-spec.ts";
import type { WordsNeeds } from "./words-needs.ts";

type Table = Readonly<Record<string, unknown>>;

/**
 * `gantry mcp add NAME npm:PACKAGE@VERSION [-- ARGS]`: installs it and writes the table, or brings
 * the table of an earlier version up to date. Throws MCP_EXISTS, MCP_NPM, MCP_PACKAGE_*, CONFIG_*.
 */
export async function addPackage(
  run: CommandContext,
  { audit, configFile, configDir }: WordsNeeds,
  spec: PackageSpec,
  given: Table,
): Promise<void> {
  const [server = "", , ...args] = run.args;
  const at = `mcp.servers.${server}`;
  const before = configFile.get(at) as Table | undefined;
  const folder = packageFolder(configDir, server);
  const kept = argsBehind(folder, before);
  if (before !== undefined && kept === undefined) throw errors.MCP_EXISTS(server, server);
  const { signal } = run;
  const registry = run.options["registry"] as string | undefined;
  await installPackage(configDir, server, spec, { registry, signal }, async (found) => {
    const { integrity } = found;
    await audit.record({
      event_type: "config_change",
      tool: "",
      args: { mcp_server: server, package: spec.name, version: spec.version, integrity },
      result: "mcp server installed",
      user: userOfTerminal(),
      session_id: "",
    });
    const [command = "", ...words] = nodeCommand([], path.join(folder, found.entry));
    const read = (given["read_paths"] ?? before?.["read_paths"] ?? []) as readonly string[];
    const keys: Table = {
      ...given,
      command,
      args: [...words, ...(args.length > 0 ? args : (kept ?? []))],
      read_paths: [...new Set([command, ...read])],
    };
    await configFile.set(
      Object.fromEntries(Object.entries(keys).map(([key, value]) => [`${at}.${key}`, value])),
    );
    const { count, withScripts } = found;
    run.err(`${spec.name} ${spec.version} (${count} packages, ${integrity.slice(0, 22)}…)`);
    if (withScripts.length > 0) run.err(`  install scripts are not run: ${withScripts.join(", ")}`);
  });
}

/**
 * Returns what stands behind the program of an installed package; undefined for a table of another
 * kind.
 */
function argsBehind(folder: string, table: Table | undefined): readonly string[] | undefined {
  const args = (table?.["args"] ?? []) as readonly string[];
  const at = args.findIndex((one) => one.startsWith(folder + path.sep));
  return at < 0 ? undefined : args.slice(at + 1);
}
