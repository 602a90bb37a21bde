import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import shell from "../tool-shell/index.ts";
import sandbox from "./index.ts";
import { openCgroups } from "./service/cgroups.ts";
import type { ConfinedFault } from "./service/failures.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

const hog = (mb: number): string =>
  `perl -e '$x = "a" x (${mb} * 1048576); select undef, undef, undef, 0.6; print "held ", length($x)'`;

const most = {
  max_memory_mb: 512,
  max_cpu_percent: 100,
  max_processes: 64,
  max_file_descriptors: 256,
  max_file_mb: 256,
  max_disk_mb: 512,
  max_workspace_mb: 1_024,
};
/** The groups that this machine gives; without one there is nothing to see. */
const probe = linux ? openCgroups(most) : undefined;
const held = probe?.held ?? new Set<string>();
probe?.close();

test.runIf(held.has("memory"))(
  "SBX-05: control groups bound memory, for one process and for all together",
  async () => {
    await using kit = await startSandbox({ bounds: { max_memory_mb: 128 } });
    expect((await kit.run(hog(60))).stdout).toContain("held");
    expect((await kit.run(hog(300))).stdout).not.toContain("held");
    const three = await Promise.all([kit.run(hog(55)), kit.run(hog(55)), kit.run(hog(55))]);
    expect(three.filter(({ stdout }) => stdout.includes("held")).length).toBeLessThan(3);
    expect((await kit.run("echo next")).stdout).toBe("next\n");
  },
);

test.runIf(held.has("memory"))(
  "SBX-05: memory that processes share counts once in a control group",
  async () => {
    await using kit = await startSandbox({ bounds: { max_memory_mb: 128 } });
    const shared = `$x = "a" x (50 * 1048576); for (1 .. 4) { last if !fork } select undef, undef, undef, 1; print "held "; 1 while wait > 0`;
    expect((await kit.run(`perl -e '${shared}'`)).stdout.match(/held/g)).toHaveLength(5);
    const own = shared.replace(
      "last if !fork",
      'next if fork; substr($x, $_ * 4096, 1) = "b" for 0 .. 12799; last',
    );
    expect((await kit.run(`perl -e '${own}'`)).stdout.match(/held/g)?.length ?? 0).toBeLessThan(5);
  },
);

test.runIf(held.has("pids"))("SBX-05: control groups bound processes", async () => {
  await using kit = await startSandbox({ bounds: { max_processes: 20 } });
  const all = await kit.run("for i in $(seq 18); do sleep 0.1 & done; wait; echo fine");
  expect(all).toMatchObject({ stdout: "fine\n", stderr: "" });
  // Never more than 300, should nothing bound them.
  const many = `my $n = 0; for (1 .. 300) { my $p = fork; last if !defined $p; if (!$p) { sleep 9; exit } $n++ } print $n`;
  const together = await Promise.all([kit.run(`perl -e '${many}'`), kit.run(`perl -e '${many}'`)]);
  const started = together.reduce((sum, { stdout }) => sum + Number(stdout), 0);
  expect(started).toBeGreaterThan(8);
  expect(started).toBeLessThanOrEqual(20 * together.length);
  const threads = `use threads; my $n = 0; for (1 .. 300) { threads->create(sub { sleep 9 }) or last; $n++ } print $n`;
  const { stdout: counted } = await kit.run(`perl -e '${threads}' 2> /dev/null || echo 0`);
  expect(Number(counted)).toBeLessThan(20);
  expect((await kit.run("echo next")).stdout).toBe("next\n");
});

test.runIf(held.has("cpu"))("SBX-05: control groups bound processor time", async () => {
  await using kit = await startSandbox({ bounds: { max_cpu_percent: 30 } });
  const { stdout } = await kit.run(
    "timeout -s KILL 2 perl -e 'fork; 1 while 1'; sleep 0.1; perl -e '@t = times; print $t[2] + $t[3]'; times",
  );
  const used = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest),
    0,
  );
  expect(used).toBeLessThan(1.6);
});

test.runIf(linux)("SBX-05: without control groups the kernel bounds the memory of each process", async () => {
  await using kit = await startSandbox({ bounds: { max_memory_mb: 300 }, cgroups: false });
  expect((await kit.run(hog(60))).stdout).toContain("held");
  expect((await kit.run(hog(400))).stdout).not.toContain("held");
  expect((await kit.run("echo next")).stdout).toBe("next\n");
});

test.runIf(linux)(
  "SBX-05: where there is less memory than what starts commands takes, they end alone",
  async () => {
    await using kit = await startSandbox({ bounds: { max_memory_mb: 16 } });
    for (const command of [hog(12), hog(300)]) expect((await kit.run(command)).stdout).toBe("");
    expect((await kit.run("echo next")).stdout).toBe("next\n");
  },
);

test.runIf(linux)("SBX-05: open files are bounded, and no program raises a bound", async () => {
  await using t = await startTestHost({
    plugins: [sandbox, shell],
    config: { runtime: { max_file_descriptors: 40, max_memory_mb: 200, max_processes: 32 } },
  });
  writeFileSync(
    path.join(t.runtime.workspace, "open.pl"),
    'open($f[$_], "<", "/dev/null") or do { print "stopped at $_"; exit } for 1..100; print "open"',
  );
  expect((await t.call("shell", { command: "perl open.pl" })).text).toMatch(/stopped at 3\d/);
  expect((await t.call("shell", { command: "ulimit -n 41 && perl open.pl" })).text).not.toContain("open\n");
  expect((await t.call("shell", { command: "ulimit -Hn; ulimit -c" })).text).toContain("40\n0");
});

test.runIf(linux)("SBX-05: what a process may have is bounded for programs and for tools alike", async () => {
  await using kit = await startSandbox({ bounds: { max_file_descriptors: 100, max_file_mb: 2 } });
  expect((await kit.run("ulimit -Hn; ulimit -Hc; ulimit -Hf")).stdout).toBe("100\n0\n2048\n");
  const file = path.join(kit.workspace, "large");
  const write = (bytes: number): Promise<unknown> =>
    kit.confinement.request<"write">(
      { do: "write", path: file, data: new Uint8Array(bytes) },
      new AbortController().signal,
    );
  const error = await write(3 * 1024 * 1024).catch((error: unknown) => error);
  expect((error as ConfinedFault).fault).toMatchObject({ reason: "it is larger than runtime.max_file_mb" });
  await write(2 * 1024 * 1024);
  expect((await kit.run("stat -c %s large")).stdout).toBe("2097152\n");
});

test.runIf(linux)("SBX-05: a large file comes through whole, both ways", async () => {
  await using kit = await startSandbox();
  const file = path.join(kit.workspace, "large");
  const signal = new AbortController().signal;
  const data = randomBytes(24 * 1024 * 1024);
  await kit.confinement.request<"write">({ do: "write", path: file, data }, signal);
  const maxBytes = data.length;
  const read = await kit.confinement.request<"read">({ do: "read", path: file, maxBytes }, signal);
  expect(Buffer.compare(read.data, data)).toBe(0);
});
