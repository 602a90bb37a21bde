import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres, { type Sql } from "postgres";

/** A PostgreSQL server of its own on loopback, without a password. */
export interface PostgresServer {
  /** Makes an empty database and returns its address. */
  database(): Promise<string>;
  /** Cuts a database off from its clients; the returned function lets them in again. */
  cut(url: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** The folder of the server's programs; undefined if it is not installed. */
export const serverPrograms = ["/usr/lib/postgresql", "/usr/local/lib/postgresql"]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((version) => path.join(folder, version, "bin")))
  .findLast((folder) => existsSync(path.join(folder, "initdb")));

export async function startPostgres(): Promise<PostgresServer> {
  const programs = serverPrograms;
  if (programs === undefined) throw new Error("PostgreSQL is not installed: install postgresql.");
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-postgres-"));
  const account = ordinaryAccount();
  if (account) chownSync(folder, account.uid, account.gid);
  const data = path.join(folder, "data");
  const made = spawnSync(
    path.join(programs, "initdb"),
    ["-D", data, "-U", "gantry", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"],
    { ...account, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const server = spawn(
    path.join(programs, "postgres"),
    ["-D", data, "-h", "127.0.0.1", "-p", `${port}`, "-k", folder, "-F"],
    { ...account, stdio: ["ignore", "ignore", "pipe"] },
  );
  await ready(server.stderr);
  const address = (name: string) => `postgres://gantry@127.0.0.1:${port}/${name}`;
  const admin = postgres(address("postgres"), { max: 1, onnotice: () => {} });
  let count = 0;
  return {
    async database() {
      const name = `d${(count += 1)}`;
      await admin`CREATE DATABASE ${admin(name)}`;
      return address(name);
    },
    cut: (url) => cut(admin, path.basename(url)),
    async stop() {
      await admin.end({ timeout: 1 });
      const { promise, resolve } = Promise.withResolvers<void>();
      server.once("exit", () => resolve());
      server.kill("SIGQUIT");
      await promise;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function cut(admin: Sql, name: string): Promise<() => Promise<void>> {
  await admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS false`;
  await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`;
  return async () => void (await admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS true`);
}

/** The server refuses to run as root. */
function ordinaryAccount(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: idOfNobody("-u"), gid: idOfNobody("-g") } : undefined;
}

function idOfNobody(flag: "-u" | "-g"): number {
  return Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout);
}

async function ready(log: NodeJS.ReadableStream): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  log.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes("ready to accept connections")) resolve();
  });
  log.on("end", () => reject(new Error(`PostgreSQL did not start: ${said}`)));
  await promise;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
