import { printable } from "@gantry/sdk/node";
import type { ServerConfig, ServersConfig } from "./config.ts";
import { errors } from "./errors.ts";

/** The treatment of one tool of a server. */
export type ToolRule = "allow" | "ask" | "off";

interface Common {
  readonly name: string;
  readonly timeoutMs: number;
  /** `undefined` where no key says so; then a tool asks. */
  ruleFor(tool: string): ToolRule | undefined;
}

/** A server that runs on this machine. */
export interface LocalSettings extends Common {
  readonly kind: "stdio";
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly domains: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/** A server that is reached by streamable HTTP. */
export interface RemoteSettings extends Common {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly domains: readonly string[];
  /** The client that the owner has registered where the server's login is. */
  readonly oauth: { readonly id?: string | undefined; readonly secret?: string | undefined };
}

export type ServerSettings = LocalSettings | RemoteSettings;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
const LOCAL_KEYS = ["args", "env", "read_paths", "write_paths"] as const;
const REMOTE_KEYS = ["headers", "oauth_client_id", "oauth_client_secret"] as const;
const DEFAULT_SECONDS = 60;

/** Returns the servers in the order of their names. Throws MCP_CONFIG, naming the key. */
export function settingsFrom(servers: ServersConfig): readonly ServerSettings[] {
  return Object.entries(servers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, keys]) => settingsOf(name, keys));
}

/** Throws MCP_CONFIG if it is not a name for a server. */
export function checkName(name: string): void {
  if (!NAME.test(name))
    throw errors.MCP_CONFIG(
      `mcp.servers.${printable(name, 64)}`,
      "is no name",
      "use at most 32 letters, digits, _ and -",
    );
}

function settingsOf(name: string, keys: ServerConfig): ServerSettings {
  checkName(name);
  const { command, url, timeout_seconds = DEFAULT_SECONDS } = keys;
  if ((command === undefined) === (url === undefined))
    throw errors.MCP_CONFIG(`mcp.servers.${name}`, "needs either command or url", "give one of them");
  const rules = rulesOf(keys.tools);
  const common = { name, timeoutMs: timeout_seconds * 1_000, ruleFor: rules };
  return command === undefined ? remote(name, keys, common) : local(name, command, keys, common);
}

function local(name: string, command: string, keys: ServerConfig, common: Common): LocalSettings {
  const wrong = REMOTE_KEYS.find((key) => keys[key] !== undefined);
  if (wrong !== undefined)
    throw errors.MCP_CONFIG(`mcp.servers.${name}.${wrong}`, "does not go with command", "remove it");
  const { args = [], env = {}, allowed_domains = [], read_paths = [], write_paths = [] } = keys;
  const reach = { domains: allowed_domains, read: read_paths, write: write_paths };
  return { ...common, kind: "stdio", argv: [command, ...args], env, ...reach };
}

function remote(name: string, keys: ServerConfig, common: Common): RemoteSettings {
  const wrong = LOCAL_KEYS.find((key) => keys[key] !== undefined);
  if (wrong !== undefined)
    throw errors.MCP_CONFIG(`mcp.servers.${name}.${wrong}`, "does not go with url", "remove it");
  const url = URL.parse(keys.url ?? "");
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw errors.MCP_CONFIG(
      `mcp.servers.${name}.url`,
      "is no address of HTTP without a name and password in it",
      "write https://…, and what identifies you as a header",
    );
  const { headers = {}, allowed_domains = [url.hostname] } = keys;
  const oauth = { id: keys.oauth_client_id, secret: keys.oauth_client_secret };
  return { ...common, kind: "http", url: url.href, headers, domains: allowed_domains, oauth };
}

function rulesOf(tools: ServerConfig["tools"]): Common["ruleFor"] {
  if (tools === undefined) return () => undefined;
  if (isList(tools)) return (tool) => (tools.includes(tool) ? "ask" : "off");
  return (tool) => (Object.hasOwn(tools, tool) ? tools[tool] : undefined);
}

function isList(tools: NonNullable<ServerConfig["tools"]>): tools is string[] {
  return Array.isArray(tools);
}
