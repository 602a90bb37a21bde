import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { clockOf } from "../../test/e2e/settable-clock.ts";
import { tempDir } from "../../test/helpers/cli.ts";
import { programs } from "../../test/helpers/programs.ts";
import { type Cluster, type ClusterNode, startCluster } from "./cluster.test-kit.ts";
import { type Link, startLink } from "./link.test-kit.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb", "pg_basebackup");
const people = ["491", "492", "493", "494", "495"];
const names = ["a", "b", "c"] as const;
const minutes = 10;
/** As long as a stopped or cut off node stays so: others take its conversations after 5 s. */
const awayMs = 9_000;
/** Between two troubles. */
const calmMs = 4_000;
/** A reply that the platform took so long before a trouble, or in it, may come twice. */
const beforeMs = 100;
/** A signal, or the word that the way is cut, comes later than it was given. */
const afterMs = 1_000;

/** A moment at which something was ended, stopped, cut or taken away, by `performance.now()`. */
interface Trouble {
  readonly what: string;
  readonly at: number;
}

/** Two servers, and for each node a way of its own to both. */
interface Ways {
  readonly url: (node: string) => string;
  readonly of: ReadonlyMap<string, readonly [Link, Link]>;
  /** Kills the primary and has its standby take over; a new standby follows. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

async function startWays(): Promise<Ways> {
  const servers: PostgresServer[] = [await startPostgres()];
  let standby = await servers[0]!.standby();
  const name = path.basename(await servers[0]!.database());
  servers.push(standby);
  const ways = await Promise.all(
    names.map(async (node) => {
      const [one, other] = await Promise.all(servers.map(({ port }) => startLink(port)));
      return [node, [one!, other!]] as const;
    }),
  );
  const of: Ways["of"] = new Map(ways);
  let primary = servers[0]!;
  let place = 0;
  return {
    of,
    url: (node) => {
      const hosts = of.get(node)?.map(({ port }) => `127.0.0.1:${port}`);
      return `url = "postgres://gantry@${hosts?.join(",")}/${name}"`;
    },
    async failOver() {
      await primary.crash();
      await standby.promote();
      primary = standby;
      standby = await primary.standby();
      servers.push(standby);
      for (const links of of.values()) links[place]?.lead(standby.port);
      place = 1 - place;
    },
    async close() {
      for (const link of [...of.values()].flat()) link.close();
      for (const server of servers.toReversed()) await server.stop();
    },
  };
}

/** Runs one trouble after the other until `signal` is aborted; returns when each began. */
async function trouble(cluster: Cluster, ways: Ways, signal: AbortSignal): Promise<readonly Trouble[]> {
  const began: Trouble[] = [];
  const begins = (what: string): void => void began.push({ what, at: performance.now() });
  const kinds: readonly ((node: ClusterNode) => Promise<void>)[] = [
    async (node) => {
      begins(`SIGKILL ${node.name}`);
      await node.end("SIGKILL");
      await pause(awayMs);
      await node.start();
    },
    async (node) => {
      begins(`SIGSTOP ${node.name}`);
      node.signal("SIGSTOP");
      await pause(awayMs);
      node.signal("SIGCONT");
    },
    async (node) => {
      begins(`partition ${node.name}`);
      for (const link of ways.of.get(node.name) ?? []) link.cut();
      await pause(awayMs);
      for (const link of ways.of.get(node.name) ?? []) link.join();
    },
    async () => {
      begins("restarts");
      for (const node of cluster.nodes) {
        await node.end("SIGTERM");
        await node.start();
      }
    },
  ];
  const start = performance.now();
  const failovers = [minutes * 20_000, minutes * 40_000];
  for (let n = 0; !signal.aborted; n += 1) {
    await pause(calmMs);
    if (performance.now() - start > (failovers[0] ?? Infinity)) {
      failovers.shift();
      begins("failover");
      await ways.failOver();
      await pause(calmMs);
    }
    await kinds[n % kinds.length]!(cluster.nodes[Math.floor(n / kinds.length) % names.length]!);
  }
  return began;
}

/** Returns the longest silence of any person behind this trouble, in ms. */
function silence({ platform }: Cluster, { at }: Trouble): number {
  const until = at + awayMs + calmMs;
  return Math.max(
    ...people.map((person) => {
      const times = platform.replies.filter(({ to }) => to === person).map((reply) => reply.at);
      const around = times.filter((time) => time > at - 1_000 && time < until);
      return Math.max(
        0,
        ...around.slice(1).map((time, n) => (time > at ? time - Math.max(at, around[n]!) : 0)),
      );
    }),
  );
}

/** Returns how long before the trouble behind it each double was first taken, in ms. */
function leads({ platform }: Cluster, doubled: readonly string[], troubles: readonly Trouble[]) {
  return doubled.map((text) => {
    const first = platform.replies.find(({ body }) => body === text)?.at ?? 0;
    const near = troubles.toSorted((a, b) => Math.abs(a.at - first) - Math.abs(b.at - first))[0];
    return { text, ms: Math.round((near?.at ?? 0) - first), what: near?.what ?? "" };
  });
}

/** Runs in the long form alone. */
describe.runIf(postgres.here)(`ten bad minutes${postgres.why}`, { timeout: 1_800_000 }, () => {
  test("SCL-01: SCL-04: kills, stops, partitions, restarts, failovers and a wrong clock lose and disorder nothing", async () => {
    using clock = tempDir();
    const file = path.join(clock.dir, "clock");
    writeFileSync(file, `${60 * 60_000}`);
    const ways = await startWays();
    const options: Readonly<Record<string, string>> = { NODE_OPTIONS: clockOf(file) };
    const ahead = (node: string) => (node === "c" ? options : {});
    try {
      await using cluster = await startCluster(names, ways.url, undefined, ahead);
      const over = new AbortController();
      const writing = cluster.write(people, over.signal, 60);
      const timer = setTimeout(() => over.abort(), minutes * 60_000);
      const troubles = await trouble(cluster, ways, over.signal).finally(() => clearTimeout(timer));
      over.abort();
      await writing;
      const { expected, firsts, doubled } = await cluster.tally();
      const early = leads(cluster, doubled, troubles);
      const count = expected.flat().length;
      process.stderr.write(
        `${count} messages, ${troubles.length} troubles, ${doubled.length} sent twice: ${JSON.stringify(early)}\n` +
          troubles.map((one) => `${one.what}: silent ${Math.round(silence(cluster, one))} ms\n`).join(""),
      );
      expect(firsts).toEqual(expected);
      expect(early.filter(({ ms }) => ms > beforeMs || ms < -afterMs)).toEqual([]);
    } finally {
      await ways.close();
    }
  });
});
