import type { Net, Sandbox, Store } from "@gantry/sdk";
import {
  Client,
  StreamableHTTPClientTransport,
  type ElicitRequest,
  type ElicitResult,
  type FetchLike,
  type Transport,
} from "@modelcontextprotocol/client";
import { printable } from "@gantry/sdk/node";
import type { Era } from "./accepted.ts";
import { errors } from "./errors.ts";
import { LoginAuth } from "./login-auth.ts";
import { LoginFile } from "./login-file.ts";
import { netFetch } from "./net-fetch.ts";
import { ProcessTransport } from "./process-transport.ts";
import type { ServerSecrets } from "./server-secrets.ts";
import type { LocalSettings, RemoteSettings, ServerSettings } from "./settings.ts";

/** A program that says nothing for so long is one of the earlier era. */
const PROBE_MS = 3_000;
const HANDSHAKE_MS = 30_000;

/** The parts that a connection is made with. */
export interface Ways {
  readonly sandbox: Sandbox | undefined;
  readonly net: Net | undefined;
  readonly store: Store;
  readonly version: string;
  /** The folder in which logins are kept. */
  readonly configDir: string;
  /** Learns what identifies the owner to a server. */
  readonly secrets: ServerSecrets;
  /** The folder of a program that was installed here. */
  readonly program: string | undefined;
}

/** The listeners for what the server says of its own accord. */
export interface Listeners {
  changed(): void;
  ended(): void;
  failed(error: Error): void;
  ask(params: ElicitRequest["params"]): Promise<ElicitResult>;
}

export interface Connection {
  readonly client: Client;
  readonly era: Era;
  close(): Promise<void>;
}

/**
 * Connects, and starts the server first if it is a program. `era` is the one that it spoke before:
 * asking for it takes a program of the earlier era more than a second. Throws what kept the server
 * from answering.
 */
export async function connect(
  settings: ServerSettings,
  ways: Ways,
  listeners: Listeners,
  era: Era | undefined,
  signal: AbortSignal,
): Promise<Connection> {
  try {
    return await connectIn(era, settings, ways, listeners, signal);
  } catch (error) {
    // It may be of the other era now, or one that ends when it is asked.
    if (signal.aborted || (era === undefined && settings.kind === "http")) throw error;
    const other = era === undefined ? "legacy" : undefined;
    return await connectIn(other, settings, ways, listeners, signal).catch(() => {
      throw error;
    });
  }
}

async function connectIn(
  era: Era | undefined,
  settings: ServerSettings,
  ways: Ways,
  listeners: Listeners,
  signal: AbortSignal,
): Promise<Connection> {
  const ending = new AbortController();
  const lives = AbortSignal.any([signal, ending.signal]);
  const transport = await open(settings, ways, lives);
  const client = clientFor(ways.version, listeners);
  const close = async (): Promise<void> => {
    await client.close().catch(() => undefined);
    ending.abort();
  };
  try {
    const prior = era === "legacy" ? { prior: { kind: "legacy" as const } } : {};
    await client.connect(transport, { signal: lives, timeout: HANDSHAKE_MS, ...prior });
  } catch (error) {
    await close();
    throw saying(error, transport);
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way
  client.onclose = () => listeners.ended();
  return { client, era: client.getProtocolEra() === "modern" ? "modern" : "legacy", close };
}

function clientFor(version: string, listeners: Listeners): Client {
  const told = { autoRefresh: false, debounceMs: 0, onChanged: () => listeners.changed() };
  const client = new Client(
    { name: "gantry", version },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
      listChanged: { tools: told, prompts: told },
      // No schema of a server is made into code, and no expression of it is run.
      jsonSchemaValidator: {
        getValidator: () => (data: unknown) => ({
          valid: true,
          data: data as never,
          errorMessage: undefined,
        }),
      },
    },
  );
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way
  client.onerror = (error) => listeners.failed(error);
  client.setRequestHandler("elicitation/create", ({ params }) => listeners.ask(params));
  return client;
}

function open(settings: ServerSettings, ways: Ways, signal: AbortSignal): Promise<Transport> {
  return settings.kind === "stdio" ? openProcess(settings, ways, signal) : openHttp(settings, ways, signal);
}

async function openProcess(
  { argv, env, read, write, domains }: LocalSettings,
  { sandbox, program }: Ways,
  signal: AbortSignal,
): Promise<Transport> {
  if (!sandbox) throw errors.MCP_NO_SANDBOX();
  const own = program !== undefined && { program };
  return new ProcessTransport(await sandbox.open({ argv, env, read, write, domains, signal, ...own }));
}

async function openHttp(
  settings: RemoteSettings,
  { net, store, configDir, secrets }: Ways,
  signal: AbortSignal,
): Promise<Transport> {
  if (!net) throw errors.MCP_NO_NET();
  const own = netFetch(net, settings, signal);
  const requestInit = { headers: { ...settings.headers } };
  const url = new URL(settings.url);
  // A header that identifies the owner stands in place of a login.
  if (new Headers(settings.headers).has("authorization"))
    return new StreamableHTTPClientTransport(url, { fetch: own, requestInit });
  const file = new LoginFile(configDir, settings, secrets);
  const login = new LoginAuth(settings, file, { net, store }, signal);
  const fetch: FetchLike = async (to, init) => {
    const response = await own(to, init);
    await login.checkScope(response);
    return response;
  };
  return new StreamableHTTPClientTransport(url, { fetch, requestInit, authProvider: login });
}

/** A program says on stderr why it ends. */
function saying(error: unknown, transport: Transport): unknown {
  const words = transport instanceof ProcessTransport ? transport.lastWords.replace(/\s+/g, " ") : "";
  return words === "" ? error : new Error(`${(error as Error).message} (it says: ${printable(words)})`);
}
