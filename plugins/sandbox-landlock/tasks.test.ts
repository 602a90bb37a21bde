import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { PWNED, taskAttacks } from "./attacks.test-kit.ts";
import {
  type SandboxKit,
  confinedOf,
  linux,
  processesWith,
  startSandbox,
  until,
} from "./sandbox.test-kit.ts";

/** Over all settings together at least 500 in the long form. */
const rounds = process.env["GANTRY_LONG"] ? 100 : 1;
const names = (pid: number | string, folder: string): readonly string[] =>
  readdirSync(`/proc/${pid}/${folder}`);

/** Returns every thread of these processes, with every descriptor that one of them may have. */
function targets(pids: readonly (number | string)[]): {
  readonly tasks: string;
  readonly descriptors: number;
} {
  const tasks = pids.flatMap((pid) => names(pid, "task"));
  const most = Math.max(...pids.flatMap((pid) => names(pid, "fd")).map(Number));
  return { tasks: tasks.join(" "), descriptors: Math.min(most, 40) };
}

async function attack(kit: SandboxKit, pids: readonly (number | string)[]): Promise<void> {
  for (const [name, command] of taskAttacks(targets(pids))) {
    const { stdout } = await kit.run(command, { timeoutMs: 60_000 });
    expect(`${name}: ${stdout}`).not.toContain(PWNED);
  }
}

for (const [how, options] of [
  ["", {}],
  [", at Landlock level 1", { abiCap: 1 }],
] as const) {
  test.runIf(linux)(
    `SBX-06: no thread of the service or of a confined process is signalled, traced or read from a run, and no descriptor opens${how}`,
    { timeout: 120_000 * rounds },
    async () => {
      await using kit = await startSandbox(options);
      await kit.run("true");
      const confined = confinedOf(process.pid);
      for (let round = 0; round < rounds; round++) await attack(kit, ["self", ...confined]);
      expect((await kit.run("echo still here")).stdout).toBe("still here\n");
    },
  );

  test.runIf(linux)(
    `SBX-07: a run does not reach the processes, pipes and files of another${how}`,
    { timeout: 120_000 * rounds },
    async () => {
      await using kit = await startSandbox(options);
      const seconds = `7${process.pid}.${Math.floor(performance.now() * 1000)}`;
      const abort = new AbortController();
      const victim = kit.run(`echo begin; sleep ${seconds} & wait; echo end`, { signal: abort.signal });
      await until(() => processesWith(`sleep\0${seconds}`).length === 1);
      const shells = processesWith(`sleep ${seconds}`);
      const prey = [...processesWith(`sleep\0${seconds}`), ...shells];
      for (let round = 0; round < rounds; round++) await attack(kit, prey);
      expect(processesWith(`sleep\0${seconds}`)).toHaveLength(1);
      abort.abort();
      expect((await victim).stdout).toBe("begin\n");
    },
  );
}

test.runIf(linux)(
  "SBX-08: what starts a run shows it no environment, no memory and no descriptor of any of its threads",
  async () => {
    await using kit = await startSandbox();
    const look = [
      "echo $$ $PPID",
      "tr '\\0' '\\n' < /proc/1/environ",
      "for t in {1..30}; do readlink /proc/1/task/$t/{exe,cwd,root} /proc/1/task/$t/fd/{0..30}; done",
      "for t in {1..30}; do head -c 1 /proc/1/task/$t/{mem,maps,environ}; done",
      "for d in {0..30}; do { : >> /proc/1/fd/$d; } && echo open; done",
      "kill -9 -1",
      "echo alive",
    ];
    expect((await kit.run(look.join("; "))).stdout).toBe("1 0\nalive\n");
  },
);

test.runIf(linux)("SBX-07: sixteen runs at a time work, each the first process of its own", async () => {
  await using kit = await startSandbox();
  const results = await Promise.all(
    Array.from({ length: 16 }, (_, i) => kit.run(`sleep 0.5; echo $$ ${i}`, { timeoutMs: 60_000 })),
  );
  expect(results.map(({ stdout }) => stdout)).toEqual(results.map((_, i) => `1 ${i}\n`));
});
