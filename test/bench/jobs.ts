import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Store } from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import scheduledJobs from "../../plugins/scheduled-jobs/index.ts";
import { JobShelf } from "../../plugins/scheduled-jobs/shelf.ts";
import sqlite from "../../plugins/store-sqlite/index.ts";
import { processorMs } from "../helpers/processor-time.ts";
import { atMost, type Row } from "./row.ts";

const jobs = 1_000;
const settledMs = 10_000;
const minuteMs = 60_000;
/** The least of so many minutes counts: the engine tidies up once, in a minute of its own. */
const minutes = 3;

/** Measures the processor time that jobs take while none of them falls due. */
export async function jobRows(): Promise<readonly Row[]> {
  const none = await idleMinute(0);
  const many = await idleMinute(jobs);
  const what = `processor time that ${jobs} jobs add to a minute in which none falls due`;
  return [atMost(`${what}, beside ${none.toFixed(0)} ms of the host`, many - none, 5, " ms")];
}

async function idleMinute(count: number): Promise<number> {
  const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
  try {
    await using t = await startTestHost({
      plugins: [scheduledJobs, sqlite, fakeProvider(["ok"])],
      config: { jobs: {} },
      configDir: dir,
    });
    const shelf = new JobShelf(() => t.slot(Store), []);
    for (let i = 0; i < count; i += 1) await shelf.add(yearly(`job-${i}`));
    await t.serve();
    await wait(settledMs);
    const taken: number[] = [];
    for (let i = 0; i < minutes; i += 1) taken.push(await processorMs(() => wait(minuteMs)));
    return Math.min(...taken);
  } finally {
    await rm(dir, { recursive: true });
  }
}

function yearly(name: string) {
  const far = new Date(Date.now() + 180 * 86_400_000);
  const cron = `0 9 ${Math.min(28, far.getUTCDate())} ${far.getUTCMonth() + 1} *`;
  return {
    name,
    cron,
    prompt: "Say the hour.",
    on_missed: "run",
    place: undefined,
    by: "cli:root",
    trust: "owner",
    made: Date.now(),
    isConfigured: false,
  } as const;
}
