import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Sandbox, definePlugin, type GuardOpinion } from "@gantry/sdk";
import type { SandboxPolicy } from "@gantry/sdk/fill";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import autonomy from "../plugins/guard-autonomy/index.ts";
import commands from "../plugins/guard-commands/index.ts";
import paths from "../plugins/guard-paths/index.ts";
import sandbox from "../plugins/sandbox-landlock/index.ts";
import shell from "../plugins/tool-shell/index.ts";

/** Plain programs with plain options, which run without walls too. */
const plain = [
  "ls -la",
  "cat package.json",
  "head -20 README.md",
  "wc -l src/*.ts",
  "mkdir -p build/out",
  "mv a.txt b.txt",
  "sort a.txt | uniq -c | sort -rn",
  "ls | head",
  "echo hello > out.txt",
  "cat a.txt >> out.txt 2>&1",
  "for i in 1 2 3; do echo $i; done",
  "while read line; do echo $line; done < a.txt",
  "if [ -f a.txt ]; then cat a.txt; fi",
  "x=5; echo $((x + 1))",
  "diff a.txt b.txt || true",
  "touch new && chmod +x new",
];
/** Commands that can start a program, go through folders, or read names out of a file. */
const more = [
  "git status",
  "git diff --stat",
  "git log --oneline -5",
  "git add -A",
  "git commit -m 'Fix the parser'",
  "git checkout -b topic",
  "grep -rn TODO src",
  "rg --files",
  "find . -name '*.ts'",
  "rm -rf build",
  "cp -r src copy",
  "sed -n 1,20p a.txt",
  "awk '{print $1}' a.txt",
  "tar czf out.tgz src",
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
const everyday = [...plain, ...more];

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

async function notRefused(host: TestHost, list: readonly string[]): Promise<readonly string[]> {
  const found = await decisions(host, list);
  return list.filter((command) => !found[command]?.startsWith("refuse"));
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

test("FLR-32: autonomous without both walls runs plain programs and refuses the rest", async () => {
  for (const policy of [
    { files: false, network: false },
    { files: true, network: false },
    { files: false, network: true },
  ]) {
    await using host = await start("autonomous", pretending(policy));
    expect(await decisions(host, plain)).toEqual(all(plain, "allow"));
    expect(await notRefused(host, more)).toEqual([]);
  }
});

test("SEC-13: autonomous with the walls switched off by hand, what can be read runs and nobody is asked", async () => {
  const config = {
    agent: { autonomy_level: "autonomous" },
    security: { sandboxing: { landlock_enabled: false } },
  };
  await using host = await startTestHost({ plugins: [autonomy, commands, paths, sandbox, shell], config });
  expect(await host.call("shell", { command: "echo ran" })).toMatchObject({ decision: "allowed" });
  expect(await host.call("shell", { command: "python3 -c 1" })).toMatchObject({ decision: "refused" });
});

/** Commands that read what no word of theirs names, or that end what is not theirs. */
const around = [
  "kill -9 -1",
  "kill -STOP $PPID",
  "pkill node",
  "killall node",
  "renice -u x",
  "sort --files0-from=list",
  "sort --files0-f list",
  "wc --files0-from=list",
  "du --files0-from=list",
  "find -files0-from list",
  "md5sum -c list",
  "file -f list",
  "date -f list",
  "strings @list",
  "tar -czf got.tgz -T list",
  "cpio -o < list",
  "zip -@ got.zip < list",
  "rsync --files-from=list a b",
  "git hash-object -w --stdin-paths",
  "tar xPf a.tar",
  "unzip -: a.zip",
  "patch -p0",
  "grep -r X .",
  "grep -drecurse X .",
  "diff -r sub empty",
  "cp -r sub copy",
  "wc *",
  "sort $x",
  'grep "$x" a.txt',
  "/tmp/ls",
  "./cat a.txt",
  "ls() { python3 x.py; }; ls",
];

test("FLR-32: without walls nothing takes names from a file, walks folders or sends signals", async () => {
  await using host = await start("autonomous", pretending({ files: false, network: false }));
  expect(await notRefused(host, around)).toEqual([]);
});

test("FLR-32: without walls no option makes a plain program start another", async () => {
  await using host = await start("autonomous", pretending({ files: false, network: false }));
  const word = fc.tuple(
    fc.constantFrom("--", "-o", "-R", "-T", "+", "-f"),
    fc.constantFrom("exec=id", "compress-program=id", "files0-from=x", "recursive", "x"),
  );
  const names = "ls cat head wc sort grep uniq cut tail mkdir cp mv rm diff touch date stat".split(" ");
  const property = fc.asyncProperty(fc.constantFrom(...names), word, async (name, [sign, rest]) => {
    const command = `${name} a ${sign}${rest}`;
    // Two plain options of grep in one word.
    if (command === "grep a -ox") return true;
    return sign === "+" || decided(await host.explain("shell", { command })).startsWith("refuse");
  });
  const report = await fc.check(property, { numRuns: process.env["GANTRY_LONG"] ? 5_000 : 40 });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});

function approving(walls: typeof sandbox): Promise<TestHost> {
  const security = { auto_approve_tools: ["shell"], require_approval_tools: [] };
  return startTestHost({ plugins: [autonomy, commands, paths, walls, shell], config: { security } });
}

test("FLR-25: behind walls, shell in auto_approve_tools runs every command unprompted", async () => {
  await using walled = await approving(pretending({ files: true, network: true }));
  expect(await decisions(walled, everyday)).toEqual(all(everyday, "allow"));
  await using bare = await approving(pretending({ files: false, network: false }));
  expect(await decisions(bare, everyday)).toEqual({
    ...all(plain, "allow"),
    ...all(more, "ask COMMAND_UNCERTAIN"),
  });
});

/** Commands that go to a folder that their text does not tell, and write there. */
const inAnyFolder = [
  "cd .g*; echo x > config",
  "cd .g*; cd h*; echo evil > pre-commit",
  "cd .v*; echo evil > tasks.json",
  "cd .[v]s*; tee tasks.json < a.txt",
  "pushd .g?t; cp a.txt config",
  "cd sub && builtin cd -P ../.g*/hooks && cp a.txt pre-commit",
];
/** Commands that may name any file, as far as their text tells. */
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
];
const knownAtRunTime = [
  "false; echo $?; sleep $((1 - 1))",
  "head -n$((2 * 3)) a.txt",
  'x=1; echo $x ${#x} "$x" > out.txt',
  "wc -l sub/*.ts su*/*.ts",
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
  expect(await notRefused(host, namedAtRunTime)).toEqual([]);
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

test("SEC-13: without walls, a folder that a pattern stands for makes relative writes uncertain", async () => {
  await using host = await start("autonomous", pretending({ files: false, network: false }));
  const codes = async (command: string): Promise<readonly unknown[]> =>
    (await host.explain("shell", { command })).flatMap(({ by, outcome }) =>
      by === "guard-paths" && outcome ? [outcome.code] : [],
    );
  for (const command of inAnyFolder)
    expect([command, ...(await codes(command))]).toEqual([command, "PATH_NO_WALLS"]);
  expect(await codes("cd sub; echo x > config; ls *")).toEqual([]);
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
  expect(text).toContain("`npm` is not on the list of plain programs");
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
