import { expect, test } from "vitest";
import { said, startGantry, tempDir } from "./helpers/cli.ts";

test("SBX-09: OPS-02: a signal opens no debugger in the service, and none that means nothing ends it", async () => {
  using home = tempDir('plugins = ["store-sqlite"]\n');
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  for (let i = 0; i < 20; i++) child.kill(i % 2 === 0 ? "SIGUSR1" : "SIGUSR2");
  child.kill("SIGTERM");
  const { code, err } = await ended;
  expect([code, err.includes("Debugger")]).toEqual([0, false]);
});
