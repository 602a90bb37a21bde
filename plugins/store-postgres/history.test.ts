import path from "node:path";
import { describe, expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";
import { createStore } from "../store-sqlite/store.ts";
import { handlesOn } from "./clock.test-kit.ts";
import { checkHistory } from "./history.test-kit.ts";
import { startPostgres } from "./server.test-kit.ts";

const operations = process.env["GANTRY_LONG"] ? 1_000_000 : 20_000;
const nodes = 3;
const postgres = programs("initdb");

describe(`${operations} operations of ${nodes} nodes`, { timeout: 1_800_000 }, () => {
  test("CHA-06: on one file each message is taken once, answered once and in order", async () => {
    using home = tempDir();
    const file = path.join(home.dir, "gantry.db");
    const opened = Array.from({ length: nodes }, () => createStore(file));
    const { operations: done, wrong } = await checkHistory(
      opened.map(({ store }) => store),
      operations,
    );
    for (const { close } of opened) await close();
    expect(wrong).toEqual([]);
    expect(done).toBeGreaterThanOrEqual(operations);
  });

  test.runIf(postgres.here)(
    `SCL-03: in PostgreSQL each message is taken once, answered once and in order${postgres.why}`,
    async () => {
      const server = await startPostgres();
      const { connect, close } = handlesOn(await server.database());
      const opened = Array.from({ length: nodes }, connect);
      for (const one of opened) await one.nodes.serve();
      const { operations: done, wrong } = await checkHistory(
        opened.map(({ store }) => store),
        operations,
      );
      await close();
      await server.stop();
      expect(wrong).toEqual([]);
      expect(done).toBeGreaterThanOrEqual(operations);
    },
  );
});
