import type { CheckRow } from "@gantry/sdk";
import { withTimeout } from "@gantry/sdk/node";
import type { Database } from "./database.ts";
import { databaseFailed } from "./errors.ts";
import { layoutState } from "./migrate.ts";
import { listNodes, type Nodes } from "./nodes.ts";

/** Less than what a check may take, so that who names the database is who tells of its silence. */
const lookMs = 4_000;

/** Returns whether what is accepted now is kept: something is written, on disk, in time. */
export async function readyRows(db: Database, nodes: Nodes): Promise<readonly CheckRow[]> {
  const text = `INSERT INTO named (space, key, value) VALUES ('ready', $1, '1')
    ON CONFLICT (space, key) DO UPDATE SET value = excluded.value`;
  const drained: CheckRow = {
    what: "node",
    state: "fail",
    detail: `the node ${nodes.name} takes no new messages`,
    cure: "End it, or start it again.",
    planned: true,
  };
  try {
    await inTime(db, db.rows(text, nodes.name));
  } catch (error) {
    const failed = (error as Error).message;
    return [{ what: "store", state: "fail", detail: failed, cure: "See what the error says." }];
  }
  return [{ what: "store", state: "ok", detail: db.shown }, ...(nodes.draining ? [drained] : [])];
}

function inTime<T>(db: Database, work: Promise<T>): Promise<T> {
  const silent = (): Error => databaseFailed(db.shown, `it did not answer in ${lookMs / 1_000} s`);
  return withTimeout(lookMs, work, silent);
}

/**
 * Tells who serves from the store; that files do not move with a conversation; releases side by
 * side.
 */
export async function nodeRows(db: Database, sharesWorkspace: boolean): Promise<readonly CheckRow[]> {
  const what = "nodes";
  const serving = (await inTime(db, listNodes(db))).filter(({ serves }) => serves);
  const names = serving.map(({ name, draining }) => (draining ? `${name} (drained)` : name));
  const detail = `${serving.length} serve from ${db.shown}${names.length > 0 ? `: ${names.join(", ")}` : ""}`;
  const rows: CheckRow[] = [{ what, state: "ok", detail }];
  if (serving.length > 1 && !sharesWorkspace)
    rows.push({
      what,
      state: "warn",
      detail: "files of a workspace stay on the node that wrote them",
      cure: "Put the workspace on a volume that all nodes share and set node.shares_workspace.",
    });
  const versions = new Set(serving.map(({ version }) => version));
  if (versions.size > 1)
    rows.push({
      what,
      state: "warn",
      detail: `they run ${[...versions].join(" and ")}`,
      cure: "Upgrade all.",
    });
  return rows;
}

interface Server {
  readonly version: number;
  readonly names: string;
  readonly commit: string;
  readonly standbys: number;
}

/** Reads the layout, the server's age, and what a failover could lose. */
export async function doctorRows(db: Database): Promise<readonly CheckRow[]> {
  const { found, known } = await db.telling(() => layoutState(db.options));
  const behind = found < known;
  const layout: CheckRow = {
    what: "store layout",
    state: behind ? "warn" : "ok",
    detail: `${db.shown} has layout ${found}, this release knows ${known}`,
    ...(behind && {
      cure: "Run `gantry store migrate`; the first start does so unless store.migrate is false.",
    }),
  };
  if (found === 0) return [layout];
  const [server] = await db.rows<Server>(
    `SELECT current_setting('server_version_num')::int AS version,
       current_setting('synchronous_standby_names') AS names,
       current_setting('synchronous_commit') AS commit,
       (SELECT count(*) FROM pg_stat_replication) AS standbys`,
  );
  return [layout, failoverRow(server!)];
}

function failoverRow({ names, commit, standbys }: Server): CheckRow {
  const what = "store failover";
  if (names !== "" && ["on", "remote_apply"].includes(commit))
    return { what, state: "ok", detail: `what is acknowledged is on a standby too (${names})` };
  const cure = "Set synchronous_standby_names, with synchronous_commit on.";
  if (standbys > 0) return { what, state: "warn", detail: "a failover can lose acknowledged messages", cure };
  return { what, state: "ok", detail: "no standby is connected: the one server is what is kept" };
}
