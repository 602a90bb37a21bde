import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { ProcessLock } from "@gantry/sdk/node";
import { bin, environment, said } from "./helpers/cli.ts";
import { tempDir } from "./helpers/temp-dir.ts";

test("CLI-04: of many who find a lock whose holder was killed, one takes it", async () => {
  using home = tempDir();
  const file = path.join(home.dir, "serving.lock");
  for (let round = 0; round < 100; round++) {
    writeFileSync(file, round % 2 ? "999999999 1" : "");
    const tries = Array.from({ length: 12 }, () =>
      ProcessLock.take(file, (pid) => new Error(`held by ${pid}`)),
    );
    const taken = (await Promise.allSettled(tries)).flatMap((attempt) =>
      attempt.status === "fulfilled" ? [attempt.value] : [],
    );
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
  }
});

/**
 * Two daemons on one directory, each the first process of a space of process numbers of its own, as
 * containers have it.
 */
const apart = ["--pid", "--fork", "--mount-proc", "--kill-child", process.execPath, bin, "daemon"];
const canUnshare = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

test.runIf(canUnshare)(
  "OPS-06: of two services in two containers on one directory one serves; when it is killed another may",
  { timeout: 300_000 },
  async () => {
    using home = tempDir("[gateway]\nport = 0\n");
    const start = () => spawn("unshare", apart, { env: environment({ dir: home.dir }) });
    const first = start();
    await said(first, "stderr", /Gantry is ready/);
    const second = start();
    expect(await said(second, "stderr", /ALREADY_RUNNING/)).toContain("A service already runs on");
    const ended = new Promise((resolve) => first.on("close", resolve));
    first.kill("SIGKILL");
    await ended;
    const third = start();
    await said(third, "stderr", /Gantry is ready/);
    const over = new Promise((resolve) => third.on("close", resolve));
    third.kill("SIGKILL");
    await over;
  },
);

test("OPS-06: whoever lost the lock to another says so and leaves the other's alone", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    using home = tempDir();
    const file = path.join(home.dir, "serving.lock");
    let lost = 0;
    const lock = await ProcessLock.take(
      file,
      () => new Error("busy"),
      () => (lost += 1),
    );
    vi.advanceTimersByTime(4_000);
    writeFileSync(file, "17 1 elsewhere");
    vi.advanceTimersByTime(4_000);
    await expect.poll(() => lost).toBe(1);
    await lock.release();
    expect(readFileSync(file, "utf8")).toBe("17 1 elsewhere");
  } finally {
    vi.useRealTimers();
  }
});

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

test.runIf(canMount)(
  "OPS-06: a full disk at the start is named with the cure, in the words of what is full",
  () => {
    using home = tempDir("[gateway]\nport = 0\n");
    const volume = path.join(home.dir, "state");
    mkdirSync(volume);
    const script = `mount -t tmpfs -o size=4k,nr_inodes=2 none '${volume}' && touch '${volume}/full' && exec "$0" "$@"`;
    const { stderr, status } = spawnSync(
      "unshare",
      ["-m", "sh", "-c", script, process.execPath, bin, "daemon"],
      {
        env: environment({ dir: home.dir }),
        encoding: "utf8",
      },
    );
    expect(stderr).toMatch(/keeps nothing in .*state \(ENOSPC\).*STATE_UNWRITABLE/);
    expect(status).toBe(1);
  },
);

test("CLI-04: a process that was killed while it removed a lock keeps nobody out for ever", async () => {
  using home = tempDir();
  const file = path.join(home.dir, "serving.lock");
  writeFileSync(file, "999999999 1");
  mkdirSync(`${file}.removing`);
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(`${file}.removing`, longAgo, longAgo);
  const lock = await ProcessLock.take(file, (pid) => new Error(`held by ${pid}`));
  expect(existsSync(`${file}.removing`)).toBe(false);
  await lock.release();
});

test("FLR-13: a lock's holder in another container is known by its touch, oneself is no other", async () => {
  using home = tempDir();
  const file = path.join(home.dir, "serving.lock");
  const own = await ProcessLock.take(file, (pid) => new Error(`held by ${pid}`));
  expect(await ProcessLock.otherHolder(file)).toBeUndefined();
  await own.release();
  expect(await ProcessLock.otherHolder(file)).toBeUndefined();
  writeFileSync(file, "17 1 elsewhere");
  const touching = setInterval(() => utimesSync(file, new Date(), new Date()), 50);
  try {
    expect(await ProcessLock.otherHolder(file)).toBe(17);
  } finally {
    clearInterval(touching);
  }
});

test("FLR-13: a lock that nobody has touched for a minute is not waited for", async () => {
  using home = tempDir();
  const file = path.join(home.dir, "serving.lock");
  writeFileSync(file, "17 1 elsewhere");
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(file, longAgo, longAgo);
  // Waiting would never end: no timer runs.
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  try {
    expect(await ProcessLock.otherHolder(file)).toBeUndefined();
  } finally {
    vi.useRealTimers();
  }
});
