import { textOf, directMessage } from "@gantry/sdk";
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { layout } from "./layout.ts";
import { openFile } from "./open.ts";
import { createStore } from "./store.ts";

const ROUNDS = process.env["GANTRY_LONG"] ? 200 : 5;
const children = new Set<ChildProcess>();
let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-store-"));
  file = join(home, "gantry.db");
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  await rm(home, { recursive: true });
});

function start(...jobs: string[]): { child: ChildProcess; lines: AsyncIterable<string> } {
  const script = new URL("worker.test-kit.ts", import.meta.url).pathname;
  const options: SpawnOptions = { stdio: ["pipe", "pipe", "inherit"] };
  const child = spawn(process.execPath, ["--conditions=gantry-source", script, file, ...jobs], options);
  children.add(child);
  return { child, lines: createInterface({ input: child.stdout! }) };
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
  children.delete(child);
}

test("ST-11: CHA-06: kill -9 at any moment loses no accepted message, records no turn twice and repeats at most what was being sent", async () => {
  const accepted: string[] = [];
  const sent: string[] = [];
  const collect = (line: string): void => {
    const [word, id] = line.split(" ") as [string, string];
    if (word === "accepted") accepted.push(id);
    if (word === "sent") sent.push(id);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const { child, lines } = start("accept", "answer");
    const exit = once(child, "exit");
    let left = 20 + Math.floor(Math.random() * 300);
    for await (const line of lines) {
      collect(line);
      if (left-- === 0) child.kill("SIGKILL");
    }
    // Its output ends a moment before it does.
    await exit;
    children.delete(child);
    const { store, close } = createStore(file);
    await store.lanes.recover();
    await close();
  }
  const { child, lines } = start("answer");
  for await (const line of lines) {
    if (line.startsWith("idle")) break;
    collect(line);
  }
  await killed(child);

  const distinct = new Set(sent);
  expect(accepted.length).toBeGreaterThan(ROUNDS * 5);
  expect(accepted.filter((id) => !distinct.has(id))).toEqual([]);
  expect(sent.length - distinct.size).toBeLessThanOrEqual(ROUNDS);
  const { store, close } = createStore(file);
  for (const sender of ["a", "b", "c"]) {
    const turns = (await store.sessions.recent(`t:${sender}`, 1e9)).map(({ parts }) => textOf(parts));
    expect(turns.length).toBe(new Set(turns).size);
    const mine = (ids: Iterable<string>): string[] => [...ids].filter((id) => id.startsWith(`${sender}-`));
    expect(turns).toEqual(mine(distinct));
    expect(mine(distinct).filter((id) => accepted.includes(id))).toEqual(mine(accepted));
  }
  expect(await store.lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
  await close();
}, 600_000);

test("CHA-07: two processes on one file never answer one message twice and keep each sender's order", async () => {
  const { store, close } = createStore(file);
  const messages = Array.from({ length: 300 }, (_, n) =>
    directMessage({
      channel: "t",
      id: `${"abc"[n % 3]}-${n}`,
      from: "abc"[n % 3]!,
      text: "",
      timestamp: 1,
    }),
  );
  await store.lanes.accept(messages);
  const sent: string[] = [];
  const answering = [start("answer"), start("answer")].map(async ({ child, lines }) => {
    let mine = 0;
    for await (const line of lines) {
      if (line.startsWith("idle")) break;
      sent.push(line.split(" ")[1]!);
      mine++;
    }
    await killed(child);
    return mine;
  });
  const shares = await Promise.all(answering);
  await expect.poll(() => store.lanes.stats()).toEqual({ waiting: 0, running: 0, deadLetters: 0 });
  expect(sent.toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
  expect(shares[0]! + shares[1]!).toBe(300);
  for (const sender of ["a", "b", "c"]) {
    const turns = (await store.sessions.recent(`t:${sender}`, 1000)).map(({ parts }) => textOf(parts));
    expect(turns).toEqual(messages.filter((message) => message.sender.id === sender).map(({ id }) => id));
  }
  await close();
});

test("CHA-06: recover frees what a killed process held at once, and never what a living one holds", async () => {
  const { store, close } = createStore(file);
  const { child, lines } = start("hold");
  for await (const line of lines) {
    expect(line).toBe("held true");
    break;
  }
  await store.lanes.recover();
  expect(await store.lanes.hold("t:a", 1000)).toBe(undefined);
  await killed(child);
  expect(await store.lanes.hold("t:a", 1000)).toBe(undefined);
  await store.lanes.recover();
  expect(await store.lanes.hold("t:a", 1000)).toMatchObject({ lane: "t:a" });
  await close();
});

async function said(lines: AsyncIterator<string>): Promise<string> {
  return String((await lines.next()).value).trim();
}

test.each(["SIGKILL", "SIGTERM"] as const)(
  "SCL-04: a connection of one process alone goes to another one within seconds after %s",
  async (signal) => {
    const first = start("connect");
    const one = first.lines[Symbol.asyncIterator]();
    expect([await said(one), await said(one)]).toEqual(["begins", "serves"]);
    const two = start("connect").lines[Symbol.asyncIterator]();
    expect(await said(two)).toBe("serves");
    first.child.kill(signal);
    expect(await said(two)).toBe("begins");
    const rest: string[] = [];
    for await (const line of { [Symbol.asyncIterator]: () => one }) rest.push(line.trim());
    expect(rest).toEqual(signal === "SIGTERM" ? ["ends"] : []);
  },
);

test("FLR-13: the kept copy has its name on disk before the store moves forward", async () => {
  const script = new URL("worker.test-kit.ts", import.meta.url).pathname;
  const kit = new URL("killed-at.test-kit.ts", import.meta.url).pathname;
  const args = ["--conditions=gantry-source", `--import=${kit}`, script, file, "use"];
  (await openFile(file, layout.slice(0, 1))).close();
  const folder = join(home, "state");
  const seen: (readonly [kept: boolean, layout: number])[] = [];
  for (let step = 1, isKilled = true; isKilled; step++) {
    await rm(folder, { recursive: true, force: true });
    await cp(file, join(folder, "gantry.db"), { recursive: true });
    args[3] = join(folder, "gantry.db");
    const env = { ...process.env, GANTRY_KILL_AT: String(step) };
    const [code] = (await once(spawn(process.execPath, args, { env }), "exit")) as [number | null];
    isKilled = code === null;
    const db = new DatabaseSync(args[3], { readOnly: true });
    const { user_version: found } = db.prepare("PRAGMA user_version").get() as Record<string, number>;
    db.close();
    seen.push([existsSync(`${args[3]}.layout1`), found ?? 0]);
  }
  // In place of the sync of the folder, the last step before the store moves.
  expect(seen).toContainEqual([true, 1]);
  expect(seen).not.toContainEqual([false, layout.length]);
  expect(seen.at(-1)).toEqual([true, layout.length]);
});
