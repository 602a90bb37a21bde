import { describe, expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { startCluster } from "./cluster.test-kit.ts";
import { startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb", "pg_basebackup");
const people = ["491", "492", "493", "494", "495"];
const failovers = 2;
const rounds = 200;

/** Runs in the long form alone: it makes a copy of a server for each failover. */
describe.runIf(postgres.here)(`a synchronous standby${postgres.why}`, { timeout: 900_000 }, () => {
  test("SCL-03: a primary that dies while its standby takes over loses nothing, sends nothing twice, keeps the order", async () => {
    let primary = await startPostgres();
    let standby = await primary.standby();
    const url = await primary.database();
    const name = url.slice(url.lastIndexOf("/"));
    for (let n = 0; n < failovers; n += 1) {
      const both = `postgres://gantry@127.0.0.1:${primary.port},127.0.0.1:${standby.port}${name}`;
      await using cluster = await startCluster(["a", "b", "c"], `url = "${both}"`);
      const over = new AbortController();
      const writing = cluster.write(
        people.map((one) => `${one}${n}`),
        over.signal,
      );
      const { replies } = cluster.platform;
      await cluster.platform.until(() => replies.length > rounds);
      await primary.crash();
      await standby.promote();
      const before = replies.length;
      await cluster.platform.until(() => replies.length > before + rounds);
      over.abort();
      await writing;
      const { expected, firsts, doubled } = await cluster.tally();
      expect(firsts).toEqual(expected);
      expect(doubled).toEqual([]);
      await primary.stop();
      primary = standby;
      standby = await primary.standby();
    }
    await standby.stop();
    await primary.stop();
  });
});
