import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gantry } from "../../test/helpers/cli.ts";
import { startModel } from "../../test/helpers/model.ts";
import { programs } from "../../test/helpers/programs.ts";
import { startCluster } from "./cluster.test-kit.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const people = ["491", "492", "493", "494", "495"];
const rounds = process.env["GANTRY_LONG"] ? 600 : 40;

describe.runIf(postgres.here)(`real daemons on one database${postgres.why}`, { timeout: 600_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()), 60_000);
  afterAll(() => server.stop(), 60_000);

  test("SCL-01: ST-11: a node killed under load loses nothing that was taken, and no person's order", async () => {
    await using cluster = await startCluster(["a", "b", "c"], `url = "${await server.database()}"`);
    const over = new AbortController();
    const writing = cluster.write(people, over.signal);
    const { replies } = cluster.platform;
    await cluster.platform.until(() => replies.length > rounds);
    await cluster.nodes[0]!.end("SIGKILL");
    const before = replies.length;
    await cluster.platform.until(() => replies.length > before + rounds);
    over.abort();
    await writing;
    const { expected, firsts, doubled } = await cluster.tally();
    expect(firsts).toEqual(expected);
    // Only what the platform had taken when the node died, and the node had not noted.
    expect(doubled.length).toBeLessThanOrEqual(people.length);
  });

  test("SCL-04: nodes restarted one by one under load answer all once, and a database that goes comes back", async () => {
    await using cluster = await startCluster(["a", "b"], `url = "${await server.database()}"`);
    const { nodes, platform } = cluster;
    const over = new AbortController();
    const writing = cluster.write(people, over.signal);
    for (const node of nodes) {
      const before = platform.replies.length;
      await platform.until(() => platform.replies.length > before + rounds / 2);
      expect((await node.end("SIGTERM")).code).toBe(0);
      await node.start();
    }
    await server.crash();
    const before = platform.replies.length;
    await server.start();
    await platform.until(() => platform.replies.length > before + rounds / 2);
    over.abort();
    await writing;
    const { expected, firsts, doubled } = await cluster.tally();
    expect(firsts).toEqual(expected);
    expect(doubled).toEqual([]);
  });

  test("SCL-04: the store has a note of each node's audit log, and the loss of one is told there alone", async () => {
    await using cluster = await startCluster(["a", "b"], `url = "${await server.database()}"`);
    const [a, b] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
    for (const { dir } of [a, b])
      expect((await gantry(["config", "set", "default_temperature", "0.5"], { dir })).code).toBe(0);
    await Promise.all([a, b].map((node) => node.end("SIGTERM")));
    for (const name of readdirSync(a.dir).filter((one) => one.includes("audit")))
      rmSync(path.join(a.dir, name), { recursive: true });
    expect(await gantry(["audit", "verify"], { dir: a.dir })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ends at record 0, and the store has noted record \d/) as string,
    });
    expect(await gantry(["audit", "verify"], { dir: b.dir })).toMatchObject({ code: 0 });
  });

  test("ST-01: ST-15: a drained node says so, and what it takes another answers; its code pairs there", async () => {
    const url = `url = "${await server.database()}"\n[alerts]\nevery_seconds = 1`;
    await using cluster = await startCluster(["a", "b"], url);
    const { platform } = cluster;
    const [a, b] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
    const drained = await gantry(["nodes", "drain", "a"], { dir: b.dir });
    expect([drained.code, drained.out]).toEqual([0, expect.stringContaining("It works on none")]);
    for (let n = 0; n < 5; n += 1) await platform.deliver(a.base, "491", `id-${n}`, `message-${n}`);
    await platform.until(() => platform.replies.length === 5);
    expect(platform.replies.map(({ body }) => body)).toEqual([0, 1, 2, 3, 4].map((n) => `re: message-${n}`));

    const list = await gantry(["nodes", "list", "--json"], { dir: a.dir });
    const { nodes } = JSON.parse(list.out) as { nodes: { name: string; draining: boolean }[] };
    expect(nodes.map(({ name, draining }) => [name, draining])).toEqual([
      ["a", true],
      ["b", false],
    ]);
    const ready = await Promise.all([a, b].map(async ({ base }) => (await fetch(`${base}/ready`)).status));
    expect(ready).toEqual([503, 200]);
    const status = await gantry(["status"], { dir: b.dir });
    expect(status.out).toMatch(/2 serve from PostgreSQL at 127\.0\.0\.1:\d+\/d\d+: a \(drained\), b/);
    expect(status.out).toContain("files of a workspace stay on the node that wrote them");
    expect(a.said + b.said).toContain("Several nodes serve and files of a workspace stay on one of them");

    const [, code = ""] = /Pairing code: (\d+) /.exec(a.said) ?? [];
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ code, device_name: "phone" });
    const paired = await fetch(`${b.base}/pair`, { method: "POST", headers, body });
    expect(paired.status).toBe(200);
    const { token } = (await paired.json()) as { token: string };
    const chat = async ({ base }: { base: string }) => {
      const authorized = { ...headers, authorization: `Bearer ${token}` };
      const body = JSON.stringify({ message: "message-x" });
      const answer = await fetch(`${base}/api/chat`, { method: "POST", headers: authorized, body });
      return [answer.status, await answer.text()];
    };
    expect(await chat(a)).toEqual([503, expect.stringContaining("send the request to another one")]);
    expect(await chat(b)).toEqual([200, expect.stringContaining("re: message-x")]);
    // Somebody asked for it: /ready tells it, and nobody is alerted.
    expect(a.said).not.toContain("Alert: node");
    const { code: exit, err } = await gantry(["nodes", "drain", "c"], { dir: b.dir });
    expect([exit, err]).toEqual([2, expect.stringContaining("No node is named c")]);
  });

  test("ST-14: a question asked on one node is decided at another; the model is told that files may stay behind", async () => {
    const write = { name: "file_write", args: { path: "a.txt", content: "hello" } };
    const model = await startModel({ calls: [write] }, "Done.");
    const given = { provider: model.provider, close: () => void model[Symbol.asyncDispose]() };
    await using cluster = await startCluster(["a", "b"], `url = "${await server.database()}"`, given);
    const { platform } = cluster;
    const [a, b] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
    await gantry(["nodes", "drain", "b"], { dir: b.dir });
    await platform.deliver(a.base, "491", "id-1", "write it");
    await platform.until(() => platform.replies.some(({ body }) => body.includes("allow ")));
    const question = platform.replies.find(({ body }) => body.includes("allow "))!.body;
    const [allow = ""] = /allow [0-9a-f]+/.exec(question) ?? [];
    await platform.deliver(b.base, "491", "id-2", allow);
    await platform.until(() => platform.replies.some(({ body }) => body === "Done."));
    expect(model.requests).toHaveLength(2);
    expect(model.requests[0]!.messages[0]!.content).toContain("Several machines answer");
  });
});
