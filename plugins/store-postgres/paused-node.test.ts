import { existsSync } from "node:fs";
import path from "node:path";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gantry } from "../../test/helpers/cli.ts";
import { chunk, startModel } from "../../test/helpers/model.ts";
import { programs } from "../../test/helpers/programs.ts";
import { type Cluster, type ClusterNode, startCluster } from "./cluster.test-kit.ts";
import { type PostgresServer, startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const write = { name: "file_write", args: { path: "a.txt", content: "hello" } };

describe.runIf(postgres.here)(`a node that stood still${postgres.why}`, { timeout: 60_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => void (server = await startPostgres()), 60_000);
  afterAll(() => server.stop(), 60_000);

  test("SCL-01: a node stopped while it asks the model runs no tool of the turn that another took over", async () => {
    const late = Promise.withResolvers<ServerResponse>();
    const raw = (response: ServerResponse): void => late.resolve(response);
    const model = await startModel({ raw }, { calls: [write] }, "Done.");
    const given = { provider: model.provider, close: () => void model[Symbol.asyncDispose]() };
    const config = `url = "${await server.database()}"\n[agent]\nautonomy_level = "autonomous"`;
    await using cluster = await startCluster(["a", "b", "c"], config, given);
    await cluster.platform.deliver(cluster.nodes[0]!.base, "491", "id-1", "write it");
    await model.asked(1);
    const paused = await claimer(cluster);
    paused.signal("SIGSTOP");
    await cluster.platform.until(() => cluster.platform.replies.some(({ body }) => body === "Done."));
    answerLate(await late.promise);
    paused.signal("SIGCONT");
    await expect.poll(() => paused.said, { timeout: 30_000 }).toContain("taken over by another process");
    expect(wrote(cluster)).toEqual([expect.not.stringContaining(paused.name)]);
  });
});

/** Returns the node that runs the one conversation. */
async function claimer({ nodes }: Cluster): Promise<ClusterNode> {
  const listed = await gantry(["nodes", "list", "--json"], { dir: nodes[0]!.dir });
  const { nodes: rows } = JSON.parse(listed.out) as { nodes: { name: string; running: number }[] };
  const running = rows.find((row) => row.running > 0);
  return nodes.find(({ name }) => name === running?.name)!;
}

function answerLate(response: ServerResponse): void {
  const call = { name: write.name, arguments: JSON.stringify(write.args) };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ tool_calls: [{ index: 0, id: "call_0", type: "function", function: call }] }));
  response.write(chunk({}, "tool_calls"));
  response.end("data: [DONE]\n\n");
}

/** Returns the names of the nodes on which the tool ran. */
function wrote({ nodes }: Cluster): readonly string[] {
  return nodes.filter(({ dir }) => existsSync(path.join(dir, "workspace", "a.txt"))).map(({ name }) => name);
}
