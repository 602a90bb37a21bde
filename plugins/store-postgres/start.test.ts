import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gantry, said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { startModel } from "../../test/helpers/model.ts";
import { programs } from "../../test/helpers/programs.ts";
import { connect } from "./connect.ts";
import { withSql } from "./clock.test-kit.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const store = (url: string, more = ""): string => `[store]\nbackend = "postgres"\nurl = "${url}"\n${more}`;

test("SCL-03: store.backend without an address is told with the line to write", async () => {
  using home = tempDir('[store]\nbackend = "postgres"\n');
  const { code, err } = await gantry(["nodes", "list"], { dir: home.dir });
  expect([code, err]).toEqual([2, expect.stringContaining("store.url is missing: write the address")]);
});

test("SCL-03: beyond this machine TLS is checked, and of several servers the one for writes is taken", async () => {
  const options = { prepare: true, name: "n" };
  const told = async (url: string) => {
    const sql = await connect({ ...options, url }, url);
    const { ssl, target_session_attrs, host } = sql.options as unknown as Record<string, unknown>;
    return [ssl, target_session_attrs, host];
  };
  expect(await told("postgres://u:p@db.example/x")).toEqual(["verify-full", undefined, ["db.example"]]);
  expect(await told("postgres://u@127.0.0.1:5/x")).toEqual([false, undefined, ["127.0.0.1"]]);
  const two = ["one.example", "two.example"];
  expect(await told("postgres://u@one.example:1,two.example:2/x")).toEqual(["verify-full", "primary", two]);
  expect(
    await told("postgres://u@one.example,two.example/x?sslmode=require&target_session_attrs=primary"),
  ).toEqual(["require", "primary", two]);
});

test("SCL-03: status and doctor tell of a database that hangs in one row, which names it and its cure", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const place = `127.0.0.1:${(silent.address() as AddressInfo).port}/x`;
  using home = tempDir(store(`postgres://gantry@${place}`));
  for (const word of ["status", "doctor"]) {
    const { out } = await gantry([word, "--json"], { dir: home.dir });
    const { rows } = JSON.parse(out) as { rows: { what: string; state: string; detail: string }[] };
    const told = rows.filter(({ detail }) => /did not answer|PostgreSQL|CONNECT/.test(detail));
    expect(told).toEqual([{ what: "store", state: "fail", detail: expect.stringContaining(place) }]);
    expect(told[0]?.detail).toContain("check that its server runs");
  }
  silent.close();
}, 60_000);

describe.runIf(postgres.here)(`the command line on PostgreSQL${postgres.why}`, { timeout: 120_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()), 60_000);
  afterAll(() => server.stop(), 60_000);

  test("SCL-03: store.backend keeps a conversation in the database, and no file stands beside it", async () => {
    const url = await server.database();
    await using model = await startModel("Good day, Ada.");
    const head = `default_provider = "${model.provider}"\ndefault_model = "m"\n`;
    const keys = "prepare = false\nmigrate = true\n[memory]\nsession_retention_days = 30\n";
    using home = tempDir(head + store(url, keys) + '[node]\nname = "first"\nshares_workspace = true\n');
    const run = await gantry(["agent", "-m", "I am Ada"], { dir: home.dir });
    expect([run.code, run.out]).toEqual([0, "Good day, Ada.\n"]);
    using other = tempDir(head + store(url));
    const list = await gantry(["sessions", "list"], { dir: other.dir });
    expect(list.out).toContain("1 turn");
    expect(existsSync(path.join(home.dir, "state/gantry.db"))).toBe(false);
    const nodes = await gantry(["nodes", "list"], { dir: other.dir });
    expect(nodes.out).toBe("No node serves.\n");
  });

  test("SCL-03: a service waits for a database that comes late", async () => {
    const url = await server.database();
    using home = tempDir(`${store(url)}[gateway]\nport = 0\n`);
    await server.crash();
    const { child, ended } = startGantry(["gateway"], { dir: home.dir });
    await said(child, "stderr", /The service waits for its database/);
    await server.start();
    await said(child, "stderr", /Gantry is ready/);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });

  test("SCL-03: with store.migrate off an empty database is left alone until `store migrate`", async () => {
    const url = await server.database();
    using home = tempDir(store(url, `direct_url = "${url}"\nmigrate = false\n`));
    const first = await gantry(["sessions", "list"], { dir: home.dir });
    expect([first.code, first.err]).toEqual([2, expect.stringContaining("run `gantry store migrate`")]);
    const made = await gantry(["store", "migrate"], { dir: home.dir });
    expect([made.code, made.out]).toEqual([0, "Layout 0 is now 1.\n"]);
    const check = await gantry(["store", "check"], { dir: home.dir });
    expect([check.code, check.out]).toEqual([0, expect.stringMatching(/layout 1.*\n.*no standby/)]);
    expect((await gantry(["sessions", "list"], { dir: home.dir })).code).toBe(0);
  });

  test("SCL-03: commands that only look lay nothing out", async () => {
    const url = await server.database();
    using home = tempDir(store(url));
    const explain = ["policy", "explain", "shell", '{"command":"ls"}'];
    const looks = [
      ["status"],
      ["doctor"],
      ["store", "check"],
      ["nodes", "list"],
      ["sessions", "list"],
      explain,
    ];
    for (const words of looks) {
      const { err } = await gantry(words, { dir: home.dir });
      expect(err).not.toContain("STORE_");
      const [row] = await withSql(
        url,
        (sql) => sql`SELECT count(*)::int AS n FROM pg_class WHERE relnamespace = 'public'::regnamespace`,
      );
      expect([words, row?.["n"]]).toEqual([words, 0]);
    }
  });

  test("SCL-01: a second node of a name is refused at start, and one that was killed starts again", async () => {
    const url = await server.database();
    const config = `${store(url)}[gateway]\nport = 0\n[node]\nname = "one"\n`;
    using home = tempDir(config);
    using other = tempDir(config);
    const first = startGantry(["gateway"], { dir: home.dir });
    await said(first.child, "stderr", /Gantry is ready/);
    const second = await gantry(["gateway"], { dir: other.dir });
    expect([second.code, second.err]).toEqual([2, expect.stringContaining("Another node named one serves")]);
    first.child.kill("SIGKILL");
    await first.ended;
    const again = startGantry(["gateway"], { dir: home.dir });
    await said(again.child, "stderr", /Gantry is ready/);
    again.child.kill("SIGTERM");
    expect((await again.ended).code).toBe(0);
  });

  test("SCL-03: a newer layout that this release can live with is used, and another refused", async () => {
    const url = await server.database();
    using home = tempDir(store(url));
    await gantry(["store", "migrate"], { dir: home.dir });
    await withSql(url, (sql) => sql`UPDATE gantry_layout SET layout = 9, oldest = 1`);
    expect((await gantry(["sessions", "list"], { dir: home.dir })).code).toBe(0);
    await withSql(url, (sql) => sql`UPDATE gantry_layout SET oldest = 2`);
    const { code, err } = await gantry(["sessions", "list"], { dir: home.dir });
    expect([code, err]).toEqual([2, expect.stringContaining("[STORE_NEWER]")]);
  });
});
