import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Sandbox, type SandboxPolicy, definePlugin, type GuardOpinion } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import autonomy from "../plugins/guard-autonomy/index.ts";
import commands from "../plugins/guard-commands/index.ts";
import paths from "../plugins/guard-paths/index.ts";
import sandbox from "../plugins/sandbox-landlock/index.ts";
import shell from "../plugins/tool-shell/index.ts";

/** What a shell's words tell: it runs wherever the owner lets tools run on their own. */
const readable = [
  "ls -la",
  "git status",
  "git diff --stat",
  "git log --oneline -5",
  "git add -A",
  "git commit -m 'Fix the parser'",
  "git checkout -b topic",
  "cat package.json",
  "head -20 README.md",
  "grep -rn TODO src",
  "rg --files",
  "find . -name '*.ts'",
  "wc -l src/*.ts",
  "mkdir -p build/out",
  "rm -rf build",
  "mv a.txt b.txt",
  "cp -r src copy",
  "sed -n 1,20p a.txt",
  "awk '{print $1}' a.txt",
  "sort a.txt | uniq -c | sort -rn",
  "ls | head",
  "echo hello > out.txt",
  "cat a.txt >> out.txt 2>&1",
  "for i in 1 2 3; do echo $i; done",
  "while read line; do echo $line; done < a.txt",
  "if [ -f a.txt ]; then cat a.txt; fi",
  "x=5; echo $((x + 1))",
  "tar czf out.tgz src",
  "diff a.txt b.txt || true",
  "touch new && chmod +x new",
];
/** What runs code that no reader of shell text can judge. */
const opaque = [
  "npm test",
  "npm run build -- --mode production",
  "npx tsc --noEmit",
  "npm ci",
  "pnpm test",
  "yarn lint",
  "pytest",
  "pytest -k parser -x",
  "python3 -c 'print(1 + 1)'",
  "python3 script.py --all",
  "python -m unittest",
  "node -e 'console.log(1)'",
  "node server.js &",
  "make",
  "make -j4 all",
  "cargo build",
  "cargo test -- --nocapture",
  "go test ./...",
  "go run main.go",
  "./run.sh",
  "bash run.sh",
  "sh -x ./build.sh",
  ". ./env.sh && ls",
  "$(cat tool.txt) --version",
  "echo $(node -p 1)",
  "perl -pe 's/a/b/' a.txt",
  "ruby -e 'puts 1'",
  "cat script.sh | bash",
  "for f in *.py; do python3 $f; done",
  "git -c core.pager=cat log",
  "find . -name '*.py' -exec python3 {} +",
  "ls | xargs node",
  "pip install -e .",
  "gradle test",
];
const everyday = [...readable, ...opaque];

function start(autonomy_level: string, walls = sandbox): Promise<TestHost> {
  const config = { agent: { autonomy_level } };
  return startTestHost({ plugins: [autonomy, commands, paths, walls, shell], config });
}

/** Refusal beats question, question beats silence. */
function decided(opinions: readonly GuardOpinion[]): string {
  const said = opinions.flatMap(({ outcome }) => (outcome ? [outcome] : []));
  const first = said.find(({ verdict }) => verdict === "refuse") ?? said[0];
  return first ? `${first.verdict} ${first.code}` : "allow";
}

async function decisions(host: TestHost, list: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const command of list) found[command] = decided(await host.explain("shell", { command }));
  return found;
}

function all(list: readonly string[], decision: string): Record<string, string> {
  return Object.fromEntries(list.map((command) => [command, decision]));
}

/** A sandbox that starts nothing and says that this is in force. */
function pretending(policy: Omit<SandboxPolicy, "detail">): typeof sandbox {
  return definePlugin({
    name: "sandbox-pretending",
    provides: [Sandbox],
    setup: (host) =>
      host.provide(Sandbox, {
        policy: async () => ({ ...policy, detail: "pretended" }),
        run: () => Promise.reject(new Error("nothing is started here")),
        open: () => Promise.reject(new Error("nothing is started here")),
        files: {} as Sandbox["files"],
      }),
  });
}

test("SEC-13: autonomous, every everyday command of a programmer runs behind kernel walls and none asks", async () => {
  expect(everyday.length).toBeGreaterThanOrEqual(60);
  await using host = await start("autonomous");
  expect(await decisions(host, everyday)).toEqual(all(everyday, "allow"));
});

test("SEC-13: autonomous without walls, or with half of them, what cannot be read is refused and the rest runs", async () => {
  for (const policy of [
    { files: false, network: false },
    { files: true, network: false },
    { files: false, network: true },
  ]) {
    await using host = await start("autonomous", pretending(policy));
    expect(await decisions(host, everyday)).toEqual({
      ...all(readable, "allow"),
      ...all(opaque, "refuse COMMAND_NO_WALLS"),
    });
  }
});

test("SEC-13: autonomous with the walls switched off by hand, what can be read runs and nobody is asked", async () => {
  const config = {
    agent: { autonomy_level: "autonomous" },
    security: { sandboxing: { landlock_enabled: false } },
  };
  await using host = await startTestHost({ plugins: [autonomy, commands, paths, sandbox, shell], config });
  expect(await host.call("shell", { command: "echo ran" })).toMatchObject({ decision: "allowed" });
  expect(await host.call("shell", { command: "python3 -c 1" })).toMatchObject({ code: "COMMAND_NO_WALLS" });
});

/** What may name any file, as far as its text tells. */
const namedAtRunTime = [
  "d=/etc; head -1 $d/shadow",
  "cat $(echo /etc/hostname)",
  'cat "$(echo /etc/hostname)"',
  "x=.en; cat ${x}v",
  "d=/etc; echo x > $d/out",
  "f=/etc/hostname; wc -l < $f",
  'echo /etc/hostname | while read f; do cat "$f"; done',
  "for f in /etc/h*; do cat $f; done",
  "ls | xargs cat",
  "find . -name '.en*' -exec cat {} +",
  "x='-f /etc/hostname'; grep $x a.txt",
  "m='-F /etc/hostname'; git commit -m $m",
  "f() { cat $1; }; f a.txt",
  "cp a.txt {b,/etc/c}",
  "shopt -s dotglob; cat *",
  "man $x",
  'sed "r $x" a.txt',
  "awk 'BEGIN { while ((getline l < \"/etc/hostname\") > 0) print l }'",
  "awk '{ print > \"/etc/x\" }' a.txt",
];
const knownAtRunTime = [
  "false; echo $?; sleep $((1 - 1))",
  "head -n$((2 * 3)) a.txt",
  'x=1; echo $x ${#x} "$x" > out.txt',
  '[ -n "$x" ] || echo none',
  'git commit -m "$(date)"',
  'grep -e "$x" a.txt',
  "wc -l sub/*.ts su*/*.ts",
  "awk '$3 > 5 { print $1; n++ } END { print n }' a.txt",
  "sed -n 's/error > w x/b/p; $w out.txt' a.txt",
];

function fillWorkspace(host: TestHost): void {
  const at = (name: string) => path.join(host.runtime.workspace, name);
  mkdirSync(at("sub"));
  symlinkSync("/etc", at("sub/link"));
  for (const name of [".env", "sub/a.ts", "sub/.env"]) writeFileSync(at(name), "x=1\n");
}

test("SEC-13: autonomous without walls, a file that is named only at run time is refused, and the sentence says which; behind walls it runs", async () => {
  await using host = await start("autonomous", pretending({ files: false, network: false }));
  fillWorkspace(host);
  expect(await decisions(host, namedAtRunTime)).toEqual(all(namedAtRunTime, "refuse PATH_NO_WALLS"));
  expect(await decisions(host, knownAtRunTime)).toEqual(all(knownAtRunTime, "allow"));
  const { text } = await host.call("shell", { command: "cat a.txt .e$x" });
  expect(text).toContain("an argument of `cat`, `.e…`, is known only at run time");
  const refused = ["cat sub/l*/hostname", "cat s*/link/hostname", "cat sub/l*", "cat s*/.e*"];
  expect(await decisions(host, refused)).toEqual({
    ...all(refused.slice(0, 3), "refuse PATH_OUTSIDE"),
    "cat s*/.e*": "refuse PATH_SENSITIVE",
  });

  await using walled = await start("autonomous");
  fillWorkspace(walled);
  const both = [...namedAtRunTime, ...knownAtRunTime];
  expect(await decisions(walled, both)).toEqual(all(both, "allow"));
});

test("SEC-13: where somebody is asked and no walls hold, the question says which file cannot be told", async () => {
  await using host = await start("semi-autonomous", pretending({ files: false, network: false }));
  for (const command of namedAtRunTime) {
    const said = (await host.explain("shell", { command })).find(({ by }) => by === "guard-paths")?.outcome;
    expect([command, said]).toEqual([
      command,
      expect.objectContaining({
        verdict: "ask",
        code: "PATH_UNCERTAIN",
        reason: expect.stringContaining("known only at run time"),
      }),
    ]);
  }
});

test("SEC-13: the refusal without walls says what could not be read, why that matters, and what helps", async () => {
  await using host = await start("autonomous", pretending({ files: false, network: false }));
  const { text } = await host.call("shell", { command: "npm test" }, { approvals: "yes" });
  expect(text).toContain("npm can run code that this guard does not read");
  expect(text).toContain("no kernel walls hold here");
});

test("SEC-13: at the other levels each of them asks, and a blocked command is refused at every level", async () => {
  for (const level of ["semi-autonomous", "supervised"]) {
    await using host = await start(level);
    for (const [command, decision] of Object.entries(await decisions(host, everyday)))
      expect([command, decision.split(" ")[0]]).toEqual([command, "ask"]);
  }
  for (const level of ["autonomous", "semi-autonomous", "supervised"]) {
    await using host = await start(level);
    expect(await decisions(host, ["sudo npm test", "python3 -c 1; dd if=a of=b"])).toEqual({
      "sudo npm test": "refuse COMMAND_BLOCKED",
      "python3 -c 1; dd if=a of=b": "refuse COMMAND_BLOCKED",
    });
  }
});

test("SEC-13: autonomous, an unreadable command really runs, and nobody has to be there", async () => {
  await using host = await start("autonomous");
  writeFileSync(path.join(host.runtime.workspace, "run.sh"), "echo ran; cat /etc/passwd\n");
  const { decision, text } = await host.call("shell", { command: "bash run.sh" });
  expect(decision).toBe("allowed");
  expect(text).toContain("ran");
  expect(text).toMatch(/Permission denied|No such file/);
});

test("SEC-13: autonomous, a question of any guard is a refusal that names the reason, also with --yes", async () => {
  const asking = definePlugin({
    name: "guard-asking",
    taps: ["beforeToolCall"],
    setup: (host) =>
      host.hooks.beforeToolCall.tap(() => ({ verdict: "ask", code: "MAYBE", reason: "It is late." })),
  });
  const config = { agent: { autonomy_level: "autonomous" } };
  await using host = await startTestHost({ plugins: [asking, sandbox, shell], config });
  for (const approvals of ["yes", "none"] as const)
    expect(await host.call("shell", { command: "ls" }, { approvals })).toMatchObject({
      decision: "refused",
      code: "AUTONOMOUS_REFUSED",
      text: expect.stringContaining("It is late."),
    });
  expect(decided(await host.explain("shell", { command: "ls" }))).toBe("refuse AUTONOMOUS_REFUSED");
});
