import type { Sql } from "postgres";

export interface ConnectionOptions {
  /** `postgres://user@one,two:5433/database`; `sslmode` and `target_session_attrs` as in libpq. */
  readonly url: string;
  /** Past a pooler, for what a transaction does not hold: LISTEN. */
  readonly directUrl?: string | undefined;
  /** False behind a pooler that hands out a server for each transaction. */
  readonly prepare: boolean;
  /** The name of the node in `pg_stat_activity`. */
  readonly name: string;
}

export interface DatabaseOptions extends ConnectionOptions {
  /** True if an older layout is brought up to date when the database is opened. */
  readonly migrate: boolean;
}

/** Connections of one node for its calls. */
const most = 6;
const connectSeconds = 5;
/** The driver's own pauses grow to twenty seconds, which a failover need not take. */
const againSeconds = (): number => 0.1 + Math.random() * 0.2;
/** The server ends what takes longer, so that no lock outlives the node that took it. */
const statementMs = 10_000;
const number = { to: 20, from: [20], parse: Number, serialize: String };

/**
 * Opens a pool on the first call of it; the driver is loaded here, so a command without a store
 * needs none.
 */
export async function connect(options: ConnectionOptions, url: string, max: number = most): Promise<Sql> {
  const { default: postgres } = await import("postgres");
  // A pooler knows few parameters of a session, and refuses the others.
  const bounds = options.prepare
    ? { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }
    : {};
  return postgres(url, {
    max,
    prepare: options.prepare,
    fetch_types: false,
    types: { bigint: number },
    onnotice: () => {},
    connect_timeout: connectSeconds,
    backoff: againSeconds,
    ...tls(url),
    ...target(url),
    connection: { application_name: `gantry/${options.name}`.slice(0, 63), ...bounds },
  });
}

/**
 * A connection that leaves the machine is encrypted and its server checked, if the address does
 * not say otherwise.
 */
function tls(url: string): { readonly ssl?: "verify-full" } {
  const { hosts, query } = partsOf(url);
  if (query.has("sslmode") || query.has("ssl") || hosts.every(isHere)) return {};
  return { ssl: "verify-full" };
}

function isHere(host: string): boolean {
  return ["", "localhost", "127.0.0.1", "[::1]"].includes(host) || host.startsWith("/");
}

/**
 * Asks for the one of several servers that may be written to, unless the address says otherwise.
 * The driver's own `read-write` takes a standby of PostgreSQL 14 or newer too.
 */
function target(url: string): { readonly target_session_attrs?: "primary" } {
  const { hosts, query } = partsOf(url);
  const wanted = query.get("target_session_attrs") ?? (hosts.length > 1 ? "read-write" : "any");
  return wanted === "read-write" ? { target_session_attrs: "primary" } : {};
}

/** Names, without ports, and the parameters of an address. */
function partsOf(url: string): { readonly hosts: readonly string[]; readonly query: URLSearchParams } {
  const [, rest = ""] = /^[a-z]+:\/\/(.*)$/is.exec(url) ?? [];
  const [place = "", query = ""] = rest.split("?", 2);
  const hosts = (place.split("/")[0] ?? "").split("@").at(-1) ?? "";
  return {
    hosts: decodeURIComponent(hosts)
      .split(",")
      .map((one) => one.replace(/:\d*$/, "")),
    query: new URLSearchParams(query),
  };
}

/** Returns the address without user, password and parameters, for sentences. */
export function shownUrl(url: string): string {
  const [, rest = ""] = /^[a-z]+:\/\/(.*)$/is.exec(url) ?? [];
  return `PostgreSQL at ${rest.split("?")[0]?.split("@").at(-1) || "an address that is none"}`;
}
