import postgres from "postgres";
import { expect, test, vi } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { startCluster } from "./cluster.test-kit.ts";
import { startPostgres } from "./server.test-kit.ts";

const programsHere = programs("initdb");
const patience = { timeout: 60_000, interval: 200 };

test.runIf(programsHere.here)(
  `FLR-12: a database that hangs, dies and comes back is one alert and one end${programsHere.why}`,
  { timeout: 180_000 },
  async () => {
    const server = await startPostgres();
    const url = await server.database();
    await using cluster = await startCluster(["a"], `url = "${url}"\n[alerts]\nevery_seconds = 1`);
    const node = cluster.nodes[0]!;
    const told = (): readonly string[] =>
      [...node.said.matchAll(/(?:Alert|Over): \S+/g)].map(([text]) => text);
    const holder = postgres(url, { max: 1, onnotice: () => {} });
    const locked = Promise.withResolvers<void>();
    const held = holder.begin(async (sql) => {
      await sql`LOCK TABLE named, lanes, nodes IN ACCESS EXCLUSIVE MODE`;
      locked.resolve();
      await new Promise(() => {});
    });
    held.catch(() => {});
    await locked.promise;
    await vi.waitFor(() => expect(told().length).toBeGreaterThan(0), patience);
    const parts = async (): Promise<unknown> => {
      const answer = await fetch(`${node.base}/ready`);
      return ((await answer.json()) as { readonly parts: unknown }).parts;
    };
    expect(await parts()).toEqual(["store"]);
    await server.crash();
    await vi.waitFor(async () => {
      expect(await parts()).toEqual(["store"]);
      expect(node.said).toMatch(/Not ready: store: [^\n]*(?:ECONNREFUSED|terminat|closed)/i);
    }, patience);
    await server.start();
    await vi.waitFor(() => expect(told()).toContain("Over: store"), patience);
    await cluster.platform.deliver(node.base, "491", "id-1", "message-x");
    await cluster.platform.until(() => cluster.platform.replies.length === 1);
    expect(told()).toEqual(["Alert: store:", "Over: store"]);
    await holder.end({ timeout: 0 });
    await server.stop();
  },
);
