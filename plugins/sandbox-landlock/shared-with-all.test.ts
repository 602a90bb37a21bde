import { expect, test } from "vitest";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

/**
 * Connects a socket that listens to itself, with no room for it, while another process makes it one
 * that waits.
 */
const HANG = `
use Socket; use Fcntl;
$to = pack_sockaddr_un("x.sock");
socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, $to); listen(S, 0);
for (1..3) { socket($c[$_], AF_UNIX, SOCK_STREAM, 0); fcntl($c[$_], F_SETFL, O_NONBLOCK); connect($c[$_], $to) }
$child = fork;
if (!$child) { fcntl(S, F_SETFL, O_RDWR) while 1 }
$end = time + 3;
connect(S, $to) while time < $end;
kill 9, $child;`;

const perl = (script: string): string => `perl -e '${script}'`;
const number = (x64: number, arm64: number): number => (process.arch === "arm64" ? arm64 : x64);

for (const namespaces of [true, false]) {
  const how = namespaces ? "in namespaces" : "without namespaces";

  test.runIf(linux)(`SBX-07: a socket that a run shares holds up nobody who is asked, ${how}`, async () => {
    await using kit = await startSandbox({ namespaces });
    await kit.run(perl(HANG));
    const next = await Promise.all(["one", "two"].map((word) => kit.run(`sleep 0.5; echo ${word}`)));
    expect(next.map(({ stdout }) => stdout)).toEqual(["one\n", "two\n"]);
  });
}

test.runIf(linux)("SBX-05: no run takes what a user or the machine has few of, in no group", async () => {
  await using kit = await startSandbox();
  const calls = { watches: number(294, 26), queues: number(206, 0), secrets: number(447, 447) };
  for (const [name, call] of Object.entries(calls)) {
    const { stdout } = await kit.run(
      perl(`$b = "\\0" x 8; print syscall(${call}, 0, $b) < 0 ? "no" : "had"`),
    );
    expect([name, stdout]).toEqual([name, "no"]);
  }
});

test.runIf(linux)("SBX-05: without a group for memory none is had that no process maps", async () => {
  await using kit = await startSandbox({ cgroups: false });
  const { stdout } = await kit.run(
    perl(`$n = "x"; print syscall(${number(319, 279)}, $n, 0) < 0 ? "$!" : "had"`),
  );
  expect(stdout).toBe("Function not implemented");
});

test.runIf(linux)("SBX-09: empty files, folders and links count among what a workspace holds", async () => {
  for (const make of [": > $i", "mkdir $i", "ln -s x $i"]) {
    await using kit = await startSandbox({ bounds: { max_workspace_mb: 1 } });
    const { findings } = await kit.run(`for i in {1..300}; do ${make}; done; sleep 30`);
    expect(findings).toEqual([expect.stringMatching(/^stopped: the workspace holds more than 1 MiB/)]);
    await expect(kit.run("echo on")).rejects.toThrow(/full/);
  }
});

test.runIf(linux)("SBX-09: a run that fills a disk with empty files is stopped", async () => {
  await using kit = await startSandbox({ bounds: { max_disk_mb: 4 } });
  const { findings } = await kit.run("i=0; while :; do : > $((i++)); done");
  expect(findings).toContainEqual(expect.stringMatching(/^stopped: the disk of .* lost more than 4 MiB/));
});

test.runIf(linux)(
  "SEC-15: of many files that are not taken over a few are named, and how many more",
  async () => {
    await using kit = await startSandbox({ guarded: [".envrc"] });
    const { findings } = await kit.run("for i in {1..300}; do mkdir $i; echo evil > $i/.envrc; done");
    expect(findings).toHaveLength(21);
    expect(findings?.[0]).toMatch(/^not taken over: \d+\/\.envrc /);
    expect(findings?.[20]).toBe("and 280 more");
    expect((await kit.run("cat */.envrc; true")).stdout).toBe("");
  },
);

test.runIf(linux)(
  "SEC-15: a run's repositories that name too much to look up hold up no later run",
  async () => {
    await using kit = await startSandbox();
    const settings = [
      "[core]",
      ...Array.from({ length: 63 }, (_, i) => `worktree = ../t${i}`),
      "[user]",
      ...Array.from({ length: 256 }, (_, i) => `name = /p${i}`),
    ];
    const lines = [
      `printf '%s\\n' '${settings.join("' '")}' > c`,
      "for i in {1..40}; do mkdir r$i; : > r$i/HEAD; : > r$i/commondir; ln c r$i/config; done",
    ];
    await kit.run(lines.join("\n"));
    expect((await kit.run("echo on")).stdout).toBe("on\n");
  },
);
