import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ConfinedProcess } from "./service/confined-process.ts";
import { ConfinedFault } from "./service/failures.ts";
import { Pool } from "./service/pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;
const run = {
  do: "run",
  argv: ["true"],
  cwd: "/",
  env: {},
  timeoutMs: undefined,
  maxOutputBytes: 0,
} as const;
const done = { value: {}, data: new Uint8Array() };
const read = { do: "read", path: "/large", maxBytes: 1 } as const;

/** Makes a pool of processes that answer what `answer` gives, and counts them. */
function poolOf(answer: (what: "run" | "read") => Promise<unknown>) {
  let alive = 0;
  const start = async (): Promise<ConfinedProcess> => {
    alive++;
    const process: Partial<ConfinedProcess> = {
      request: (request) => answer(request.do as "run" | "read") as never,
      close: async () => void alive--,
    };
    return { ...process, usable: true } as ConfinedProcess;
  };
  const pool = new Pool({ start, most: 32 });
  return { pool, alive: () => alive };
}

test("SBX-01: a process that opens a file for long is not ended as idle meanwhile, and is afterwards", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { pool, alive } = poolOf(async (what) => (what === "read" ? promise : done));
  await pool.request<"run">(run, signal);
  const reading = pool.request<"read">(read, signal);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(alive()).toBe(1);
  resolve(done);
  expect(await reading).toBe(done);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(alive()).toBe(0);
});

test("SBX-01: a process whose walls do not fit any more ends what it opens, and nothing else is asked of it", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const faults = [new ConfinedFault({ fault: "stale" })];
  const { pool, alive } = poolOf(async (what) => {
    if (what === "read") return promise;
    const fault = faults.pop();
    if (fault) throw fault;
    return done;
  });
  const reading = pool.request<"read">(read, signal);
  await pool.request<"run">(run, signal);
  expect(alive()).toBe(2);
  resolve(done);
  expect(await reading).toBe(done);
  expect(alive()).toBe(1);
  await pool.close();
  expect(alive()).toBe(0);
});

test("SBX-01: whoever gives up waiting for a run's turn hears it at once, and the next one has it", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { pool } = poolOf(() => promise);
  const running = Array.from({ length: 32 }, () => pool.request<"run">(run, signal));
  const leaving = new AbortController();
  const waiting = [leaving.signal, signal].map((one) => pool.request<"run">(run, one));
  await vi.advanceTimersByTimeAsync(1);
  leaving.abort(new Error("enough"));
  await expect(waiting[0]).rejects.toThrow("enough");
  resolve(done);
  expect(await Promise.all([...running, waiting[1]])).toEqual(Array.from({ length: 33 }, () => done));
});
