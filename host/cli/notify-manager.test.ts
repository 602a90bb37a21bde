import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { said, startGantry } from "../../test/helpers/cli.ts";
import { tempDir } from "../../test/helpers/temp-dir.ts";

test("OPS-01: systemd is told when the service is ready, that it lives, and when it stops", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const log = path.join(home.dir, "told");
  const program = path.join(home.dir, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\necho "$NOTIFY_SOCKET $1" >> '${log}'\n`);
  chmodSync(program, 0o755);
  const env = {
    PATH: `${home.dir}:${process.env["PATH"]}`,
    NOTIFY_SOCKET: "/run/notify",
    WATCHDOG_USEC: "200000",
  };
  const { child, ended } = startGantry(["daemon"], { dir: home.dir, env });
  const told = (): string => (existsSync(log) ? readFileSync(log, "utf8") : "");
  await said(child, "stderr", /Gantry is ready/);
  await expect.poll(told).toMatch(/^\/run\/notify READY=1\n(?:\/run\/notify WATCHDOG=1\n){2}/);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
  await expect.poll(told).toContain("/run/notify STOPPING=1\n");
});

test("OPS-01: without such a manager nothing is told", async () => {
  using home = tempDir("[gateway]\nport = 0\n");
  const program = path.join(home.dir, "systemd-notify");
  writeFileSync(program, `#!/bin/sh\ntouch '${home.dir}/told'\n`);
  chmodSync(program, 0o755);
  const { child, ended } = startGantry(["daemon"], {
    dir: home.dir,
    env: { PATH: `${home.dir}:${process.env["PATH"]}` },
  });
  await said(child, "stderr", /Gantry is ready/);
  child.kill("SIGTERM");
  expect([(await ended).code, existsSync(path.join(home.dir, "told"))]).toEqual([0, false]);
});
