import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { Groups } from "./groups.ts";

/** A thread that has groups enter and leave a run again and again, as fast as it can. */
const busy = `
const { workerData } = require("node:worker_threads");
import(workerData.url).then(({ Groups }) => {
  const groups = new Groups(workerData.memory);
  for (let i = 0; i < workerData.rounds; i++) {
    groups.add(workerData.run, workerData.run);
    for (let group = 1; group <= 8; group++) groups.add(workerData.run + group, workerData.run);
    groups.forget(workerData.run);
  }
});`;

test("SBX-04: whoever looks while others change the table sees no group that is not of the run, and never group 0", async () => {
  const memory = Groups.memory();
  const url = new URL("groups.ts", import.meta.url).href;
  // Numbers that no process has: nothing is ever signalled by them.
  const runs = [5_000_000, 6_000_000];
  const threads = runs.map(
    (run) => new Worker(busy, { eval: true, workerData: { url, memory, run, rounds: 4_000 } }),
  );
  const left = threads.map((thread) => once(thread, "exit"));
  const groups = new Groups(memory);
  const strange = new Set<number>();
  const state = { running: true };
  void Promise.all(left).then(() => (state.running = false));
  while (state.running) {
    for (const run of runs)
      for (const group of groups.of(run)) if (group < run || group > run + 8) strange.add(group);
    await new Promise(setImmediate);
  }
  expect([...strange]).toEqual([]);
});

test("SBX-04: a run that is being ended takes no group, and a group of nobody leads to none", () => {
  const groups = new Groups(Groups.memory());
  expect([groups.add(5_000_000, 5_000_000), groups.add(5_000_001, 5_000_000)]).toEqual([true, true]);
  groups.doom(5_000_000);
  expect([
    groups.add(5_000_002, 5_000_000),
    groups.add(5_000_001, 5_000_000),
    groups.add(5_000_003, 0),
  ]).toEqual([false, false, false]);
  expect(groups.of(5_000_000)).toEqual([5_000_000, 5_000_001]);
  groups.forget(5_000_000);
  expect(groups.runs()).toEqual([]);
});

test("SBX-04: a group that is added while its run ends stays in no table, so that no stranger with its number is ended", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-groups-"));
  const ledger = path.join(folder, "ledger");
  const memory = Groups.memory();
  const ender = new Groups(memory, openSync(ledger, "w+"));
  // The other thread ends the run just where this one has seen that it lives.
  class Adder extends Groups {
    end?: () => void;
    override of(run: number): readonly number[] {
      this.end?.();
      delete this.end;
      return super.of(run);
    }
  }
  const adder = new Adder(memory, openSync(ledger, "r+"));
  const ends = [() => ender.doom(100), () => [ender.doom(100), ender.forget(100)]];
  for (const end of ends) {
    expect(adder.add(100, 100)).toBe(true);
    adder.end = end;
    expect(adder.add(200, 100)).toBe(false);
    expect(ender.runOf(200)).toBe(0);
    ender.forget(100);
    expect([ender.runs(), readFileSync(ledger, "utf8").trim()]).toEqual([[], ""]);
  }
  rmSync(folder, { recursive: true });
});
