import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { directMessage } from "@gantry/sdk";
import { startCluster } from "../../plugins/store-postgres/cluster.test-kit.ts";
import { handlesOn } from "../../plugins/store-postgres/clock.test-kit.ts";
import { startPostgres } from "../../plugins/store-postgres/server.test-kit.ts";
import { gantry, said } from "../helpers/cli.ts";
import { startModel } from "../helpers/model.ts";
import { atLeast, atMost, type Row } from "./row.ts";

const messages = 20_000;
const conversations = 10_000;
const processes = 4;
const wakes = 300;
const perAccept = 250;
/** Fewer than the turns after which a conversation is made shorter by the model. */
const questions = 48;
const manyCalls = "[security]\nrate_limit_per_minute = 10000\nmax_actions_per_hour = 10000";

function messageOf(n: number) {
  const text = "x".repeat(200);
  return directMessage({ channel: "bench", id: `${n}`, from: `${n % conversations}`, text });
}

function start(url: string, ...how: readonly string[]): ChildProcess {
  const script = path.join(import.meta.dirname, "node-worker.ts");
  const child = spawn(process.execPath, ["--conditions=gantry-source", script, url, ...how]);
  child.stderr.pipe(process.stderr);
  return child;
}

/** Four processes beside the server answer what waits, each message with a turn of 1 KB. */
async function answeredRow(url: string): Promise<Row> {
  const { connect, close } = handlesOn(url);
  const { lanes } = connect().store;
  for (let n = 0; n < messages; n += perAccept)
    await lanes.accept(Array.from({ length: perAccept }, (_, i) => messageOf(n + i)));
  const begun = performance.now();
  const workers = Array.from({ length: processes }, () => start(url));
  await Promise.all(workers.map((worker) => said(worker, "stdout", /ready/)));
  const ready = performance.now();
  const left = async (): Promise<number> => {
    const { waiting, running } = await lanes.stats();
    return waiting + running;
  };
  const before = await left();
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  const seconds = (performance.now() - (before > messages / 2 ? ready : begun)) / 1_000;
  for (const worker of workers) worker.kill("SIGKILL");
  await close();
  const done = before > messages / 2 ? before : messages;
  return atLeast(`answered by ${processes} processes beside the server`, done / seconds, 3_000, "/s");
}

/** Measures the time until an idle node is told of a message that another one accepted. */
async function wakeRow(url: string): Promise<Row> {
  const { connect, close } = handlesOn(url);
  const [one, other] = [connect().store.lanes, connect().store.lanes];
  let told = Promise.withResolvers<void>();
  other.onDue(() => told.resolve());
  await new Promise((resolve) => setTimeout(resolve, 500));
  const taken: number[] = [];
  for (let n = 0; n < wakes; n += 1) {
    told = Promise.withResolvers();
    await one.accept([messageOf(1_000_000 + n)]);
    const accepted = performance.now();
    await told.promise;
    taken.push(performance.now() - accepted);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await close();
  const p99 = taken.toSorted((a, b) => a - b)[Math.floor(wakes * 0.99)]!;
  return atMost("an idle node is told, p99", p99, 50, " ms");
}

/** Measures the time until another node has the lanes of a killed one. */
async function takeoverRow(url: string): Promise<Row> {
  const { connect, close } = handlesOn(url);
  const { nodes, store } = connect();
  await nodes.serve();
  await store.lanes.accept([messageOf(2_000_000)]);
  const worker = start(url, "hold");
  await said(worker, "stdout", /held/);
  worker.kill("SIGKILL");
  const killed = performance.now();
  while ((await store.lanes.claim(1, 60_000)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const seconds = (performance.now() - killed) / 1_000;
  await close();
  return atMost("a killed node's conversation is taken over", seconds, 6, " s");
}

/**
 * Measures the time from a decision until the turn has run its tool and goes on: the longest at
 * another node, beyond the median at its own.
 */
async function questionRow(url: string): Promise<Row> {
  const write = { name: "file_write", args: { path: "a.txt", content: "hello" } };
  const answers = Array.from({ length: questions }, () => [{ calls: [write] }, "Done."]).flat();
  const model = await startModel(...answers);
  const given = { provider: model.provider, close: () => void model[Symbol.asyncDispose]() };
  await using cluster = await startCluster(["a", "b"], `url = "${url}"\n${manyCalls}`, given);
  const { nodes, platform } = cluster;
  const [one, other] = nodes.map(({ base }) => base) as [string, string];
  await gantry(["nodes", "drain", "b"], { dir: nodes[0]!.dir });
  const asked = () => platform.replies.filter(({ body }) => body.includes("allow "));
  const taken: readonly [number[], number[]] = [[], []];
  for (let n = 0; n < questions; n += 1) {
    await platform.deliver(one, "491", `ask-${n}`, "write it");
    await platform.until(() => asked().length > n);
    const [allow = ""] = /allow [0-9a-f]+/.exec(asked().at(-1)!.body) ?? [];
    const decided = performance.now();
    await platform.deliver([one, other][n % 2]!, "491", `allow-${n}`, allow);
    await model.asked(2 * n + 2);
    taken[n % 2 === 0 ? 0 : 1].push(performance.now() - decided);
    await platform.until(() => platform.replies.filter(({ body }) => body === "Done.").length > n);
  }
  const [own, far] = taken.map((all) => all.toSorted((a, b) => a - b)) as [number[], number[]];
  const beyond = far.at(-1)! - own[Math.floor(own.length / 2)]!;
  return atMost(
    "a decision at another node than the question's, the longest beyond its own",
    beyond,
    100,
    " ms",
  );
}

export async function nodeRows(): Promise<readonly Row[]> {
  const server = await startPostgres();
  try {
    const rows: Row[] = [];
    const all = [answeredRow, wakeRow, takeoverRow, questionRow];
    for (const row of all) rows.push(await row(await server.database()));
    return rows;
  } finally {
    await server.stop();
  }
}
