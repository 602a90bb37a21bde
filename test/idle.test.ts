import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { expect, test } from "vitest";
import { bin, environment, said, tempDir } from "./helpers/cli.ts";

/** Writes how often the loop went round to descriptor 3: 2 s after the start, and 4 s later. */
const probe = `data:text/javascript,
  import { writeSync } from "node:fs";
  const { performance: { nodeTiming } } = await import("node:perf_hooks");
  for (const ms of [2000, 6000])
    setTimeout(() => writeSync(3, nodeTiming.uvMetricsInfo.loopCount + "\\n"), ms).unref();`;

test("FLR-18: an idle gateway with the base set wakes at most three times a second", async () => {
  using home = tempDir("");
  const args = ["--import", probe.replaceAll("\n", " "), bin, "gateway", "--port", "0"];
  const child = spawn(process.execPath, args, {
    cwd: home.dir,
    env: environment({ dir: home.dir }),
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  try {
    await said(child, "stderr", /Gantry is ready/);
    const lines = createInterface(child.stdio[3] as Readable)[Symbol.asyncIterator]();
    const first = Number((await lines.next()).value);
    const rounds = Number((await lines.next()).value) - first;
    expect(rounds).toBeGreaterThan(0);
    expect(rounds).toBeLessThanOrEqual(3 * 4);
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
  }
});
