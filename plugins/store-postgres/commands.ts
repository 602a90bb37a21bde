import { setTimeout } from "node:timers/promises";
import type { CommandContext } from "@gantry/sdk";
import type { Database } from "./database.ts";
import { errors } from "./errors.ts";
import { doctorRows } from "./health.ts";
import { prepareLayout } from "./migrate.ts";
import { listNodes as nodesOf } from "./nodes.ts";

export async function listNodes({ options, out }: CommandContext, db: Database): Promise<number> {
  const nodes = await nodesOf(db);
  if (options["json"] === true) {
    const shown = nodes.map(({ name, version, serves, draining, running, since, seen }) => {
      return { name, version, serves, draining, running, since: iso(since), seen: iso(seen) };
    });
    out(JSON.stringify({ nodes: shown }));
    return 0;
  }
  if (nodes.length === 0) out("No node serves.");
  for (const { name, version, since, seen, now, serves, draining, running } of nodes) {
    const state = [serves ? "serves" : "holds a conversation", ...(draining ? ["drained"] : [])].join(", ");
    const last = `seen ${((now - seen) / 1_000).toFixed(1)} s ago`;
    out(`${name}  ${state}  ${running} running  since ${iso(since)}  ${last}  ${version}`);
  }
  return 0;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** A node sees within a second that it is drained. */
export async function drainNode({ args, out, signal }: CommandContext, db: Database): Promise<number> {
  const [name = ""] = args;
  const drained = await db.rows("UPDATE nodes SET draining = true WHERE name = $1 RETURNING 1", name);
  if (drained.length === 0) throw errors.NODE_UNKNOWN(name);
  out(`${name} takes no new messages.`);
  for (let told = -1; ;) {
    const running = (await nodesOf(db))
      .filter((node) => node.name === name)
      .reduce((sum, node) => sum + node.running, 0);
    // Claimed until it has seen that it is drained.
    if (running === 0 && told === 0) break;
    if (running !== told && running > 0)
      out(`${running} ${running === 1 ? "conversation runs" : "conversations run"} there still.`);
    told = running;
    await setTimeout(1_000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      out(`${name} stays drained. Start it again, and it takes messages.`);
      return 1;
    }
  }
  out("It works on none: end it. Started again it takes messages.");
  return 0;
}

export async function migrateStore({ out }: CommandContext, db: Database): Promise<number> {
  const migrating = { ...db.options, migrate: true };
  const { found, known } = await db.telling(() => prepareLayout(migrating, db.shown));
  out(found < known ? `Layout ${found} is now ${known}.` : `Layout ${found} is up to date.`);
  return 0;
}

export async function checkStore({ out }: CommandContext, db: Database): Promise<number> {
  const rows = await doctorRows(db);
  for (const { what, state, detail, cure } of rows)
    out(`${state === "ok" ? "ok  " : "wrong"} ${what}: ${detail}${cure ? ` ${cure}` : ""}`);
  return rows.some(({ state }) => state !== "ok") ? 1 : 0;
}
