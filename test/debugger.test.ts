import { expect, test } from "vitest";
import { said, startGantry, tempDir } from "./helpers/cli.ts";

test("SBX-09: a signal opens no debugger in the service", async () => {
  using home = tempDir('plugins = ["store-sqlite"]\n');
  const { child, ended } = startGantry(["daemon"], { dir: home.dir });
  await said(child, "stderr", /Gantry is ready/);
  for (let i = 0; i < 20; i++) child.kill("SIGUSR1");
  child.kill("SIGTERM");
  const { code, err } = await ended;
  expect([code, err.includes("Debugger")]).toEqual([0, false]);
});
