import { directMessage, listAll, textParts, type Logger, type Service } from "@gantry/sdk";
import { ChannelHealth, serveConnection } from "@gantry/sdk/channel";
import { writeSync } from "node:fs";
import { layout } from "./layout.ts";
import { openFile } from "./open.ts";
import { createStore } from "./store.ts";

/**
 * A process of its own on a store: `node worker.test-kit.ts <file> JOB...`, each job a function
 * below. Says each thing that it knows to be done as a line `word id` on stdout, so that whoever
 * kills it can compare.
 */
const [file = "", ...jobs] = process.argv.slice(2);
const { store } = createStore(file);

function say(word: string, id: string = ""): void {
  writeSync(1, `${word} ${id}\n`);
}

async function accept(): Promise<void> {
  for (let n = 0; ; n++) {
    const batch = ["a", "b", "c"].map((sender) =>
      directMessage({
        channel: "t",
        id: `${sender}-${process.pid}-${n}`,
        from: sender,
        text: `${n}`,
        timestamp: 1,
      }),
    );
    await Promise.all(batch.map((message) => store.lanes.accept([message])));
    for (const { id } of batch) say("accepted", id);
  }
}

async function answer(): Promise<void> {
  for (;;) {
    const [claim] = await store.lanes.claim(1, 60_000);
    if (!claim) {
      say("idle");
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    const { id, sender } = claim.message;
    if (claim.reply === undefined)
      await store.lanes.answer(claim, `re: ${id}`, `t:${sender.id}`, [
        { role: "user", parts: textParts(id) },
      ]);
    say("sent", id);
    await store.lanes.ack(claim);
  }
}

async function hold(): Promise<void> {
  say("held", String((await store.lanes.hold("t:a", 600_000)) !== undefined));
  setInterval(() => {}, 1000);
}

/**
 * Writes until the store says no, then whether it still reads, and writes on when a line comes in.
 */
async function fill(): Promise<void> {
  for (let n = 0; n < 10_000; n++) {
    try {
      await Promise.all([1, 2, 3].map((part) => store.values.put("fill", `${n}-${part}`, "x".repeat(5000))));
    } catch (error) {
      say("failed", `${(error as { code: string }).code} ${(error as Error).message}`);
      say("kept", String((await listAll(store.values, "fill")).length));
      await new Promise((resolve) => process.stdin.once("data", resolve));
    }
    say("stored", `${n}`);
  }
}

async function use(): Promise<void> {
  try {
    await store.values.put("s", "k", 1);
    say("stored");
  } catch (error) {
    say("failed", `${(error as { code: string }).code} ${(error as Error).message}`);
  }
}

/** Moves the file to a newer release's layout, writes a hundred turns, and waits to be killed. */
async function forward(): Promise<void> {
  const sql = await openFile(file, [...layout, "CREATE TABLE newer (n INTEGER)"]);
  for (let n = 0; n < 100; n++) {
    sql.run("INSERT INTO turns (session, messages) VALUES (?, '[]')", `newer-${n % 10}`);
    sql.run("INSERT INTO newer VALUES (?)", n);
  }
  say("moved");
  setInterval(() => {}, 1000);
}

const judge = (error: unknown) => ({ reason: String(error) });

/** Serves a connection that one of all processes has, until SIGTERM. */
async function connect(): Promise<void> {
  const log: Logger = { debug() {}, info() {}, warn() {}, error() {} };
  const health = new ChannelHealth({ channel: "mail", values: () => store.values, log });
  const run = async (signal: AbortSignal): Promise<void> => {
    say("begins");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    say("ends");
  };
  const services: Service[] = [];
  const provide = (_: unknown, service: unknown) => {
    services.push(service as Service);
    return () => {};
  };
  const host = { provide, onDispose() {}, log, needs: { store } };
  serveConnection(host, "mail", () => ({ health, watchdogMs: 600_000, judge, run }), { alone: true });
  process.once("SIGTERM", () => {
    void services[0]?.stop(AbortSignal.timeout(5_000)).then(() => process.exit());
  });
  await services[0]?.start();
  say("serves");
  setInterval(() => {}, 1000);
}

await Promise.all(jobs.map((job) => ({ accept, answer, hold, fill, use, forward, connect })[job]!()));
