import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { directMessage, Store, textParts, type ChatMessage } from "@gantry/sdk";
import { fakeProvider, startTestHost, type TestHost } from "@gantry/sdk/testing";
import sandbox from "../../plugins/sandbox-landlock/index.ts";
import store from "../../plugins/store-sqlite/index.ts";
import { createStore } from "../../plugins/store-sqlite/store.ts";
import files from "../../plugins/tool-files/index.ts";
import { exponent } from "./exponent.ts";
import type { Row } from "./row.ts";

interface GrowthPart {
  readonly what: string;
  /** 1x, 10x, 100x. */
  readonly sizes: readonly number[];
  /** The exponent that it is held to. */
  readonly goal: number;
  /** Fills so much, and resolves to the median time of one use, in ms. */
  measure(size: number): Promise<number>;
}

const turn: readonly ChatMessage[] = [
  { role: "user", parts: textParts("How far is it from here to the harbour, on foot?") },
  { role: "assistant", parts: textParts("About two kilometres, or half an hour."), toolCalls: [] },
];

/** The waits that a user notices when there is more data. */
export const growthParts: readonly GrowthPart[] = [
  {
    what: "a turn's reads and writes among sessions",
    sizes: [100, 1_000, 10_000],
    goal: 0.1,
    measure: (size) =>
      inStore(async ({ sessions }) => {
        await filled(size, (n) => sessions.append(`s${n}`, turn));
        return timed(200, async (n) => {
          await sessions.view(`s${n % size}`, 50);
          await sessions.append(`s${n % size}`, turn);
        });
      }),
  },
  {
    what: "a message accepted among messages that wait",
    sizes: [100, 1_000, 10_000],
    goal: 0.1,
    measure: (size) =>
      inStore(async ({ lanes }) => {
        await filled(size, (n) => lanes.accept([message(`w${n}`, n)]));
        return timed(200, (n) => lanes.accept([message(`m${n}`, n)]));
      }),
  },
  {
    what: "the newest 50 sessions among sessions",
    sizes: [100, 1_000, 10_000],
    goal: 0.3,
    measure: (size) =>
      inStore(async ({ sessions }) => {
        await filled(size, (n) => sessions.append(`s${n}`, turn));
        return timed(50, () => sessions.list(50));
      }),
  },
  {
    what: "memory_recall among memories",
    sizes: [1_000, 10_000, 100_000],
    goal: 0.5,
    measure: (size) =>
      inStore(async ({ memory }) => {
        await filled(size, (n) =>
          memory.remember("ada", `fact ${n} of ${(n * 7919) % 5_000} about ${n % 97}`),
        );
        return timed(50, (n) => memory.recall("ada", `fact ${n} about`, 5));
      }),
  },
  {
    what: "a turn in a conversation of messages",
    sizes: [100, 1_000, 10_000],
    goal: 0.4,
    measure: (size) =>
      inHost(async (t) => {
        const again = () => t.ask("And how far back?", { session: "long" });
        await again();
        const { sessions } = t.slot(Store);
        const [{ id } = { id: "" }] = await sessions.list(1);
        for (let n = 2; n < size; n += 2) await sessions.append(id, turn);
        return timed(50, again);
      }),
  },
  {
    what: "file_search in files",
    sizes: [50, 500, 5_000],
    goal: 1.1,
    measure: (size) =>
      inHost(async (t) => {
        const { workspace } = t.runtime;
        await filled(size, (n) =>
          writeFile(path.join(workspace, `f${n}.txt`), "one line\nneedle\nthe last\n"),
        );
        return timed(20, () => t.call("file_search", { pattern: "no such words" }));
      }),
  },
];

/** All rows of growth, one after the other; about two minutes. */
export async function growthRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { what, sizes, goal, measure } of growthParts) {
    const samples: { size: number; took: number }[] = [];
    for (const size of sizes) samples.push({ size, took: await measure(size) });
    const power = exponent(samples);
    const times = samples.map(({ size, took }) => `${size}: ${took.toFixed(2)} ms`).join(", ");
    const measured = `exponent ${power.toFixed(2)} (${times})`;
    rows.push({ what, goal: `<= ${goal}`, measured, met: power <= goal });
  }
  return rows;
}

function message(id: string, sender: number) {
  const about = { channel: "bench", id, from: `p${sender % 500}`, timestamp: 1 };
  return directMessage({ ...about, text: "a message of ordinary length" });
}

/** Does so much work, a thousand pieces at once. */
async function filled(size: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < size; done += 1_000) {
    const count = Math.min(1_000, size - done);
    await Promise.all(Array.from({ length: count }, (_, n) => work(done + n)));
  }
}

/** Resolves to the median of so many runs, in ms; a quarter more of them before warms up. */
async function timed(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  const warm = Math.ceil(times / 4);
  for (let n = 0; n < warm + times; n += 1) {
    const began = performance.now();
    await work(n);
    if (n >= warm) taken.push(performance.now() - began);
  }
  return taken.toSorted((a, b) => a - b)[taken.length >> 1] ?? 0;
}

async function inStore(work: (kept: Store) => Promise<number>): Promise<number> {
  const home = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  const { store: kept, close } = createStore(path.join(home, "state", "gantry.db"));
  try {
    return await work(kept);
  } finally {
    await close();
    await rm(home, { recursive: true });
  }
}

async function inHost(work: (t: TestHost) => Promise<number>): Promise<number> {
  const model = fakeProvider(["About two kilometres, or half an hour."]);
  await using t = await startTestHost({ plugins: [store, sandbox, files, model] });
  return await work(t);
}
