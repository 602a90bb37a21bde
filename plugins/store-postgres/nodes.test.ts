import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCluster } from "./cluster.test-kit.ts";
import { programs } from "../../test/helpers/programs.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const people = ["491", "492", "493", "494", "495"];

describe.runIf(postgres.here)(`real daemons on one database${postgres.why}`, { timeout: 180_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()), 60_000);
  afterAll(() => server.stop(), 60_000);

  test("SCL-01: a node killed under load loses nothing that was taken, and no person's order", async () => {
    await using cluster = await startCluster(["a", "b", "c"], `url = "${await server.database()}"`);
    const over = new AbortController();
    const writing = cluster.write(people, over.signal);
    const { replies } = cluster.platform;
    await cluster.platform.until(() => replies.length > 60);
    await cluster.nodes[0]!.end("SIGKILL");
    const before = replies.length;
    await cluster.platform.until(() => replies.length > before + 60);
    over.abort();
    await writing;
    const { expected, firsts, doubled } = await cluster.tally();
    expect(firsts).toEqual(expected);
    // Only what the platform had taken when the node died, and the node had not noted.
    expect(doubled.length).toBeLessThanOrEqual(people.length);
  });
});
