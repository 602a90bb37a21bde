import type { Audit } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { differencesOf, isSameServer, type Accepted } from "./accepted.ts";
import { digestOf } from "./digest.ts";
import { errors } from "./errors.ts";
import type { Found, McpServer } from "./server.ts";

/** Keeps the yes of `user` to what a server lists, and records it. */
export async function acceptFound(
  audit: Audit,
  server: McpServer,
  found: Found,
  user: string,
): Promise<void> {
  await record(audit, server.name, { sha256: digestOf(found) }, "accepted", user);
  await server.file.accept(found);
}

/** Takes back for `user` what was accepted of a server. Throws MCP_NOT_ACCEPTED. */
export async function takeBack(audit: Audit, server: McpServer, user: string): Promise<void> {
  const { name, file } = server;
  if (!(await file.read())) throw errors.MCP_NOT_ACCEPTED(name, name);
  await record(audit, name, {}, "accepted no more", user);
  await file.remove();
}

/** True if what is listed is, server and all, what was accepted. */
export function isAsAccepted(accepted: Accepted, found: Found): boolean {
  if (!isSameServer(accepted, found)) return false;
  const differences = [
    differencesOf(accepted.tools, found.tools),
    differencesOf(accepted.prompts, found.prompts),
  ];
  return differences.every(
    ({ changed, missing, added }) => changed.length + missing.length + added.length === 0,
  );
}

/** Returns the server with a name. Throws MCP_UNKNOWN. */
export function serverCalled(name: string, servers: readonly McpServer[]): McpServer {
  const server = servers.find((one) => one.name === name);
  if (server) return server;
  const names = servers.map((one) => one.name);
  throw errors.MCP_UNKNOWN(printable(name, 64), names.join(", ") || "none");
}

function record(audit: Audit, name: string, more: object, result: string, user: string): Promise<void> {
  const args = { mcp_server: name, ...more };
  return audit.record({ event_type: "config_change", tool: "", args, result, user, session_id: "" });
}
