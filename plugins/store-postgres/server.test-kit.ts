import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres, { type Sql } from "postgres";
import { findProgram } from "../../.ci/programs.ts";
import { freePort } from "../../test/e2e/platform.ts";

/** A PostgreSQL server of its own on loopback, without a password. */
export interface PostgresServer {
  readonly port: number;
  /** Makes an empty database and returns its address. */
  database(): Promise<string>;
  /** Cuts a database off from its clients; the returned function lets them in again. */
  cut(url: string): Promise<() => Promise<void>>;
  /** Ends the server at once, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again after a crash. */
  start(): Promise<void>;
  /** Makes a standby that has all that this server acknowledges from now on. */
  standby(): Promise<PostgresServer & { promote(): Promise<void> }>;
  stop(): Promise<void>;
}

const address = (port: number, name: string): string => `postgres://gantry@127.0.0.1:${port}/${name}`;

export async function startPostgres(): Promise<PostgresServer> {
  const folder = ownFolder();
  run("initdb", "-D", folder, "-U", "gantry", "-A", "trust", "-N", "-E", "UTF8", "--locale=C");
  return serverIn(folder);
}

async function serverIn(folder: string): Promise<PostgresServer> {
  const port = await freePort();
  let server = await started(folder, port);
  const admin = postgres(address(port, "postgres"), { max: 1, onnotice: () => {}, backoff: () => 0.1 });
  let count = 0;
  const end = (): Promise<void> => ended(server, "SIGQUIT");
  return {
    port,
    async database() {
      const name = `d${(count += 1)}`;
      await admin`CREATE DATABASE ${admin(name)}`;
      return address(port, name);
    },
    cut: (url) => cut(admin, path.basename(url)),
    crash: end,
    start: async () => void (server = await started(folder, port)),
    async standby() {
      const copy = ownFolder();
      const source = `host=127.0.0.1 port=${port} user=gantry application_name=standby`;
      run("pg_basebackup", "-D", copy, "-d", source, "-R", "--checkpoint=fast");
      const second = await serverIn(copy);
      await admin`ALTER SYSTEM SET synchronous_standby_names = '*'`;
      await admin`SELECT pg_reload_conf()`;
      await until(async () => {
        const rows = await admin`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
        return rows.length > 0;
      });
      return { ...second, promote: async () => run("pg_ctl", "promote", "-D", copy, "-s") };
    },
    async stop() {
      await admin.end({ timeout: 1 });
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A pooler before a server that hands out a connection for each transaction. */
export async function startPooler(
  server: PostgresServer,
): Promise<{ address(url: string): string; stop(): Promise<void> }> {
  const port = await freePort();
  const folder = ownFolder();
  const users = path.join(folder, "users.txt");
  const file = path.join(folder, "pgbouncer.ini");
  writeFileSync(users, '"gantry" ""\n', { mode: 0o644 });
  writeFileSync(
    file,
    `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1
listen_port = ${port}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}
pool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 500\nserver_login_retry = 0\nquery_wait_timeout = 1\n`,
    { mode: 0o644 },
  );
  const pooler = spawn(findProgram("pgbouncer")!, [file], {
    ...account(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  await ready(pooler.stderr, "process up");
  return {
    address: (url) => address(port, path.basename(url)),
    async stop() {
      await ended(pooler, "SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function started(folder: string, port: number): Promise<ChildProcess> {
  const args = ["-D", folder, "-h", "127.0.0.1", "-p", `${port}`, "-k", folder, "-F"];
  const server = spawn(findProgram("postgres")!, args, { ...account(), stdio: ["ignore", "ignore", "pipe"] });
  await ready(server.stderr, "ready to accept");
  return server;
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once("exit", () => resolve());
  child.kill(signal);
  await promise;
}

function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(findProgram(program)!, args, { ...account(), encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

async function cut(admin: Sql, name: string): Promise<() => Promise<void>> {
  await admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS false`;
  await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
  return async () => void (await admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS true`);
}

/** Resolves once a new connection is served. */
export async function answers(url: string): Promise<void> {
  await until(async () => {
    const sql = postgres(url, { max: 1, fetch_types: false, prepare: false, onnotice: () => {} });
    try {
      await sql`SELECT 1`;
      return true;
    } catch {
      return false;
    } finally {
      await sql.end({ timeout: 0 });
    }
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

function ownFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-postgres-"));
  const { uid, gid } = account() ?? {};
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** The server refuses to run as root. */
function account(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: idOfNobody("-u"), gid: idOfNobody("-g") } : undefined;
}

function idOfNobody(flag: "-u" | "-g"): number {
  return Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout);
}

async function ready(log: NodeJS.ReadableStream, sign: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  log.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes(sign)) resolve();
  });
  log.on("end", () => reject(new Error(`it did not start: ${said}`)));
  await promise;
}
