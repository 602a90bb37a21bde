import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textParts, directMessage, type InboundMessage, type Store } from "@gantry/sdk";
import { createStore } from "../../plugins/store-sqlite/store.ts";
import { atLeast, atMost, type Row } from "./row.ts";

const WORDS = Array.from({ length: 5000 }, (_, n) => `word${n.toString(36)}`);

/** Words as people use them: the n-th most common one is n times as rare as the first. */
function sentence(words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(WORDS.length ** Math.random()) - 1]).join(" ");
}

/** Milliseconds of each of `times` runs. */
async function timed(times: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await work(n);
    taken.push(performance.now() - start);
  }
  return taken;
}

function median(taken: readonly number[]): number {
  return taken.toSorted((a, b) => a - b)[taken.length >> 1]!;
}

async function withStore<T>(work: (store: Store, file: string) => Promise<T>): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), "gantry-bench-"));
  const file = join(home, "state", "gantry.db");
  const { store, close } = createStore(file);
  try {
    return await work(store, file);
  } finally {
    await close();
    await rm(home, { recursive: true });
  }
}

/** Recall for one user who holds `entries` memories, by queries of one to six words. */
function benchRecall(entries = 100_000): Promise<Row> {
  return withStore(async ({ memory }) => {
    for (let n = 0; n < entries; n += 5000) {
      await Promise.all(
        Array.from({ length: Math.min(5000, entries - n) }, () => memory.remember("u", sentence(12))),
      );
    }
    const taken = await timed(200, (n) => memory.recall("u", sentence(1 + (n % 6)), 5));
    return atMost(`memory_recall among ${entries} entries, median`, median(taken), 5, " ms");
  });
}

/**
 * Measures a turn's requests to a store that holds `sessions` sessions of five turns: the median in
 * ms.
 */
function turnAmong(sessions: number): Promise<number> {
  return withStore(async ({ sessions: kept }) => {
    const turn = [
      { role: "user", parts: textParts(sentence(20)) },
      { role: "assistant", parts: textParts(sentence(80)), toolCalls: [] },
    ] as const;
    for (let round = 0; round < 5; round++)
      await Promise.all(Array.from({ length: sessions }, (_, n) => kept.append(`s${n}`, turn)));
    const taken = await timed(300, async (n) => {
      await kept.recent(`s${n % sessions}`, 50);
      await kept.append(`s${n % sessions}`, turn);
    });
    return median(taken);
  });
}

async function benchSessions(many = 10_000): Promise<Row> {
  const value = (await turnAmong(many)) / (await turnAmong(10));
  return atMost(`a turn's reads and writes with ${many} sessions against ten`, value, 1.2, "x");
}

/** Calls `accept` from 64 callers who each wait for their answer; gives messages per second. */
async function perSecond(
  messages: number,
  accept: (id: string, sender: string) => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  const caller = async (_: unknown, at: number): Promise<void> => {
    for (let n = 0; n < messages / 64; n++) await accept(`${at}-${n}`, `${at}`);
  };
  await Promise.all(Array.from({ length: 64 }, caller));
  return messages / ((performance.now() - start) / 1000);
}

/**
 * The least that durable acceptance costs: one table, the id as its key, one synced commit for all
 * callers of a tick.
 */
async function bareAccept(messages: number): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), "gantry-bench-"));
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(join(home, "bare.db"));
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE inbox (id TEXT PRIMARY KEY, message TEXT) WITHOUT ROWID",
  );
  const insert = db.prepare("INSERT OR IGNORE INTO inbox VALUES (?, ?)");
  let waiting: (() => void)[] = [];
  const flush = (): void => {
    db.exec("COMMIT");
    for (const resolve of waiting.splice(0)) resolve();
  };
  const value = await perSecond(messages, (id, sender) => {
    if (waiting.length === 0) {
      db.exec("BEGIN");
      setImmediate(flush);
    }
    insert.run(id, JSON.stringify(message(id, sender)));
    return new Promise<void>((resolve) => waiting.push(resolve));
  });
  db.close();
  await rm(home, { recursive: true });
  return value;
}

/** Messages accepted on disk, once per id and in their lanes, against the least that this costs. */
async function benchAccept(messages = 20_000): Promise<Row> {
  const bare = await bareAccept(messages);
  const ours = await withStore(({ lanes }) =>
    perSecond(messages, (id, sender) => lanes.accept([message(id, sender)])),
  );
  return atLeast(
    `messages accepted durably (${ours.toFixed(0)}/s) against bare inserts (${bare.toFixed(0)}/s)`,
    ours / bare,
    0.5,
    "x",
  );
}

function message(id: string, sender: string): InboundMessage {
  return directMessage({
    channel: "bench",
    id,
    from: sender,
    text: "a message of ordinary length",
    timestamp: 1,
  });
}

/** A one-shot turn on a file of some size: open, read the session, count a hit, append, close. */
function benchOneShot(): Promise<Row> {
  return withStore(async (store, file) => {
    const turn = [{ role: "user", parts: textParts(sentence(20)) }] as const;
    await Promise.all(Array.from({ length: 2000 }, (_, n) => store.sessions.append(`s${n}`, turn)));
    const taken = await timed(50, async (n) => {
      const once = createStore(file);
      const lease = await once.store.lanes.hold(`s${n}`, 60_000);
      await once.store.sessions.recent(`s${n}`, 50);
      await once.store.limits.hit("u", [{ ms: 60_000, max: 1000 }]);
      await once.store.sessions.append(`s${n}`, turn, lease);
      if (lease) await once.store.lanes.release(lease);
      await once.close();
    });
    return atMost("open, one turn's reads and writes, close; median", median(taken), 5, " ms");
  });
}

/** All rows of the store, one after the other; about five seconds. */
export async function storeRows(): Promise<readonly Row[]> {
  return [await benchOneShot(), await benchAccept(), await benchSessions(), await benchRecall()];
}
