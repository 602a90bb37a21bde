import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { createStore as createFile } from "../store-sqlite/store.ts";
import { handlesOn } from "./clock.test-kit.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const words = (
  "run runs running ran bicycle bicycles Geneve Genève réunion reunion the a of cat cats cat's 7 42 " +
  "relational conditional happy happiness über uber велосипед велосипеды 東京 会議 明日 x1 ponies sky"
).split(" ");

describe.runIf(postgres.here)(`the search of memories${postgres.why}`, () => {
  let server: PostgresServer;
  let home: string;
  beforeAll(async () => {
    server = await startPostgres();
    home = await mkdtemp(join(tmpdir(), "gantry-recall-"));
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await rm(home, { recursive: true });
  }, 60_000);

  test("SCL-03: AGT-06: any query finds the same memories in the same order as in the embedded store", async () => {
    const file = createFile(join(home, "gantry.db"));
    const { connect, close } = handlesOn(await server.database());
    const stores = [file.store.memory, connect().store.memory];
    const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 });
    for (const sample of fc.sample(text, { numRuns: 150, seed: 7 }))
      for (const memory of stores) await memory.remember("u", sample.join(" "));
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), async (query, limit) => {
        const found = await Promise.all(stores.map((memory) => memory.recall("u", query.join(" "), limit)));
        const [a, b] = found.map((entries) => entries.map((entry) => entry.id));
        expect(b).toEqual(a);
      }),
      { numRuns: 100 },
    );
    await file.close();
    await close();
  });
});
