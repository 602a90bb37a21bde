import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import shell from "../tool-shell/index.ts";
import sandbox from "./index.ts";
import { linux, openToAll, processesWith, startSandbox, until, zombies } from "./sandbox.test-kit.ts";

/** The service, in a process of its own. */
const serviceArgs = [
  "--conditions=gantry-source",
  new URL("./service.test-kit.ts", import.meta.url).pathname,
];
const long = process.env["GANTRY_LONG"] !== undefined;
/** Sleeps that nobody else has, by their seconds. */
const seconds = (): string => `9${process.pid}.${Math.floor(performance.now() * 1000)}`;
/**
 * Returns a script whose children stay, leave their group, leave their session, and leave it twice.
 */
const scatter = (n: string): string =>
  `sleep ${n} & setsid sleep ${n} & (setsid setsid sleep ${n} &) ; timeout 999 sleep ${n} & set -m; sleep ${n} & (exec setsid bash -c 'sleep ${n} & setsid sleep ${n} & wait') &`;

test.runIf(linux)(
  "SBX-04: a timeout ends the whole tree, whatever groups and sessions its processes moved to",
  async () => {
    await using kit = await startSandbox();
    const n = seconds();
    const running = kit.run(`${scatter(n)} wait`, { timeoutMs: 1_000 });
    await until(() => processesWith(n).length >= 8);
    const result = await running;
    expect([result.timedOut, result.signal]).toEqual([true, "SIGKILL"]);
    expect([processesWith(n), zombies()]).toEqual([[], 0]);
  },
);

test.runIf(linux)("SBX-04: an abort ends the whole tree", async () => {
  await using kit = await startSandbox();
  const n = seconds();
  const abort = new AbortController();
  const running = kit.run(`${scatter(n)} wait`, { signal: abort.signal });
  await until(() => processesWith(n).length >= 8);
  abort.abort();
  expect((await running).signal).toBe("SIGKILL");
  expect([processesWith(n), zombies()]).toEqual([[], 0]);
});

test.runIf(linux)(
  "SBX-04: nothing outlives a command that ends by itself, even where it keeps the output open",
  async () => {
    await using kit = await startSandbox();
    const n = seconds();
    const result = await kit.run(`${scatter(n)} echo done; exit 7`);
    expect([result.stdout, result.exitCode, result.timedOut]).toEqual(["done\n", 7, false]);
    expect([processesWith(n), zombies()]).toEqual([[], 0]);
  },
);

test.runIf(linux)(
  "SBX-04: a process that makes groups and sessions without end is ended too, however often",
  { timeout: 300_000 },
  async () => {
    await using kit = await startSandbox();
    for (let round = 0; round < (long ? 200 : 8); round++) {
      const n = seconds();
      const hop = `perl -MPOSIX -e 'my $x = "${n}"; while (1) { my $p = fork; if ($p) { waitpid $p, 0 if rand() < 0.01; exit } else { setsid; setpgrp 0,0; } }' ${n} &`;
      const running = kit.run(`${hop} ${hop} ${hop} sleep ${n}`, { timeoutMs: 120 + round });
      expect((await running).timedOut).toBe(true);
      expect(processesWith(n)).toEqual([]);
    }
    expect((await kit.run("echo next")).stdout).toBe("next\n");
  },
);

test.runIf(linux)(
  "SBX-04: git obeys no folder that only looks like a repository, and a real one as ever",
  async () => {
    await using kit = await startSandbox();
    const evil = "mkdir -p evil/objects evil/refs; echo ref: refs/heads/x > evil/HEAD";
    const config = String.raw`printf '[core]\n repositoryformatversion = 0\n bare = false\n worktree = ..\n fsmonitor = touch pwned;\n' > evil/config`;
    await kit.run(`${evil}; ${config}; git -C evil status; cd evil && git status`);
    expect(
      (await kit.run("ls; mkdir real && cd real && git init -q && git status --short && echo fine")).stdout,
    ).toBe("evil\nfine\n");
  },
);

test.runIf(linux)(
  "SBX-04: processes get a short environment, no input, and no descriptor of the service",
  async () => {
    process.env["GANTRY_TEST_SECRET"] = "canary";
    await using t = await startTestHost({ plugins: [sandbox, shell] });
    const { text } = await t.call("shell", {
      command:
        "env | cut -d= -f1 | sort | tr '\\n' ' '; cat; read x || echo no input; for i in {3..80}; do [ -e /proc/self/fd/$i ] && echo fd $i; done",
    });
    delete process.env["GANTRY_TEST_SECRET"];
    expect(text).toBe(
      "GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_NOSYSTEM GIT_CONFIG_VALUE_0 HOME LANG PATH PWD SHELL SHLVL TERM TMPDIR _ no input\n[exit code 1]",
    );
  },
);

test.runIf(linux)(
  "SBX-04: output beyond the bound is cut and counted, however it is written, and costs no more memory",
  async () => {
    await using kit = await startSandbox();
    const before = process.memoryUsage().rss;
    const result = await kit.run("head -c 300000000 /dev/zero; echo never seen >&2", {
      maxOutputBytes: 1_000,
    });
    expect([result.stdout.length + result.stderr.length, result.droppedBytes]).toEqual([
      1_000,
      300_000_000 + 11 - 1_000,
    ]);
    const small = await kit.run("perl -e '$| = 1; print q{x} for 1..100000'", { maxOutputBytes: 70_000 });
    expect([small.stdout.length, small.droppedBytes]).toEqual([70_000, 30_000]);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
  },
);

test.runIf(linux)(
  "SBX-04: a program that does not exist is a coded error, one that cannot run an exit code",
  async () => {
    await using kit = await startSandbox();
    const request = {
      do: "run",
      argv: ["/no/such/program"],
      cwd: kit.workspace,
      env: {},
      timeoutMs: 1_000,
      maxOutputBytes: 10,
    } as const;
    await expect(kit.confinement.request<"run">(request, new AbortController().signal)).rejects.toMatchObject(
      {
        fault: { fault: "not started", reason: "ENOENT" },
      },
    );
    writeFileSync(path.join(kit.workspace, "text"), "not a program");
    expect((await kit.run("./text")).exitCode).toBe(126);
  },
);

test.runIf(linux)(
  "SBX-04: kill -9 of the service leaves no process behind, and an inherited descriptor never reaches one",
  async () => {
    const n = seconds();
    const secret = openSync("/etc/hostname", "r");
    const service = spawn(process.execPath, [...serviceArgs, `${scatter(n)} cat <&3 2>&1 | head -1; wait`], {
      stdio: ["ignore", "pipe", "inherit", secret],
    });
    const output: string[] = [];
    service.stdout!.on("data", (chunk) => output.push(String(chunk)));
    await until(() => processesWith(`sleep\0${n}`).length >= 8);
    service.kill("SIGKILL");
    await once(service, "exit");
    await until(() => processesWith(`sleep\0${n}`).length === 0);
    expect(output.join("")).toBe("");
  },
);

test.runIf(linux)(
  "SBX-04: kill -9 of the service ends even a process that makes groups and sessions without end",
  async () => {
    const n = seconds();
    const hop = `perl -MPOSIX -e 'my $x = "${n}"; while (1) { my $p = fork; exit if !defined $p || $p; setsid; setpgrp 0,0; }' ${n} &`;
    const service = spawn(process.execPath, [...serviceArgs, `${hop} ${hop} sleep ${n}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await until(() => processesWith(`sleep\0${n}`).length === 1 && processesWith(`-MPOSIX\0`).length > 0);
    service.kill("SIGKILL");
    await once(service, "exit");
    await until(() => processesWith(n).length === 0);
    expect(processesWith(n)).toEqual([]);
  },
);

test.runIf(linux)("SBX-04: memory stays flat over many commands", { timeout: 600_000 }, async () => {
  const rounds = process.env["GANTRY_LONG"] ? 10_000 : 100;
  await using kit = await startSandbox();
  const many = async (count: number): Promise<number> => {
    for (let i = 0; i < count; i++) await kit.run("echo hello");
    return process.memoryUsage().rss;
  };
  const dead = zombies();
  const before = await many(50);
  expect((await many(rounds)) - before).toBeLessThan(32 * 1024 * 1024);
  expect(zombies()).toBe(dead);
});

test.runIf(linux)("SBX-04: runs side by side do not see or end one another", async () => {
  await using kit = await startSandbox();
  const texts = await Promise.all(
    Array.from({ length: 12 }, (_, i) =>
      kit.run(`sleep 0.$((RANDOM % 3)); timeout 5 echo ${i}; setsid echo x${i}; sleep 0.1`),
    ),
  );
  expect(texts.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual(
    texts.map((_, i) => [`${i}\nx${i}\n`, 0]),
  );
});

test.runIf(linux)(
  "SBX-04: a flood of calls to the referee from one command does not stop another",
  async () => {
    await using kit = await startSandbox();
    const flood = kit.run(
      "touch a; for i in $(seq 30); do perl -e 'while (1) { chmod 0600, q{a} or die }' & done; echo up > up; wait",
      {
        timeoutMs: 2_000,
      },
    );
    await until(() => existsSync(path.join(kit.workspace, "up")));
    expect((await kit.run("touch b; chmod 741 b; stat -c %a b")).stdout).toBe("741\n");
    expect(await flood).toMatchObject({ timedOut: true, stderr: "" });
  },
);

test.runIf(linux && process.getuid?.() === 0 && openToAll())(
  "SBX-01, SBX-05: an ordinary user gets the same walls and limits",
  async () => {
    const attacks = [
      "cat /etc/shadow; touch /tmp/gantry-attack; kill -9 $PPID; echo x > /dev/tcp/127.0.0.1/1; unshare -Ur true; chmod 777 /usr/bin/env",
      "perl -e 'open($f[$_], q{<}, q{/dev/null}) or do { print qq{stopped\\n}; exit } for 1..1000'",
      "touch a; chmod 741 a; stat -c %a a; setsid sleep 0.1; for i in $(seq 200); do sleep 9 & done; wait; echo all",
    ];
    const service = spawn(process.execPath, [...serviceArgs, attacks.join("; ")], {
      uid: 65_534,
      gid: 65_534,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output: string[] = [];
    service.stdout.on("data", (chunk) => output.push(String(chunk)));
    const [code] = (await once(service, "exit")) as [number];
    expect([code, output.join("")]).toEqual([0, "stopped\n741\n"]);
  },
);
