import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Tools } from "@gantry/sdk";
import { startTestHost, toolRun } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import sandbox from "../sandbox-landlock/index.ts";
import shell from "./index.ts";
import { shellTool } from "./shell.ts";

test("TOL-01: shell runs one bash command line in the workspace and tells output and exit code", async () => {
  await using t = await startTestHost({ plugins: [sandbox, shell] });
  expect((await t.call("shell", { command: "pwd; echo oops >&2; exit 3" })).text).toBe(
    `${t.runtime.workspace}\n[stderr]\noops\n[exit code 3]`,
  );
  expect(
    (await t.call("shell", { command: "a=(1 2); [[ ${#a[@]} == 2 ]] && echo 'it is' \"bash\"" })).text,
  ).toBe("it is bash\n[exit code 0]");
  expect((await t.call("shell", { command: "true" })).text).toBe("[exit code 0]");
  // The first process of a run takes no signal it does not handle, but for one that the kernel
  // itself sends.
  const fault = `exec perl -e 'unpack "p", pack "Q", 1'`;
  expect((await t.call("shell", { command: fault })).text).toBe("[ended by SIGSEGV]");
  await t.call("shell", { command: "echo kept > file" });
  expect(readdirSync(t.runtime.workspace)).toContain("file");
});

test("TOL-01: a bad exit code is work that failed, not a call that failed", async () => {
  const runs: boolean[] = [];
  for (const exitCode of [0, 1]) {
    const result = { exitCode, signal: null, stdout: "", stderr: "", droppedBytes: 0, timedOut: false };
    const sandbox = { run: async () => result, policy: async () => ({ files: false }) } as never;
    const limits = { timeoutMs: 1_000, maxOutputBytes: 1_000 };
    const options = { sandbox, enabled: true, tries: () => false, ...limits, closed: () => [] };
    const answer = await shellTool(options).run({
      args: { command: "x" },
      cwd: "/",
      signal: new AbortController().signal,
    } as never);
    runs.push((answer as { failed: boolean }).failed);
  }
  expect(runs).toEqual([false, true]);
});

test("TOL-01: shell_timeout_seconds stops a command and keeps what it said; a call may only ask for less", async () => {
  await using t = await startTestHost({
    plugins: [sandbox, shell],
    config: { tools: { shell_timeout_seconds: 1 } },
  });
  for (const args of [
    { command: "echo said; sleep 600" },
    { command: "echo said; sleep 600", timeout_seconds: 60 },
  ]) {
    expect((await t.call("shell", args)).text).toBe("said\n[stopped after 1 s]");
  }
});

test("TOL-01: output beyond max_output_bytes is cut, the cut is said, and the exit code still stands there", async () => {
  await using t = await startTestHost({
    plugins: [sandbox, shell],
    config: { tools: { max_output_bytes: 2_048 } },
  });
  const { text } = await t.call("shell", { command: "head -c 100000 /dev/zero | tr '\\0' x; exit 4" });
  expect(text).toMatch(/^x+\n\[output cut: \d+ more bytes; exit code 4\]$/);
  const cut = Number(/cut: (\d+)/.exec(text)![1]);
  expect(text.indexOf("\n") + cut).toBe(100_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
});

test("SEC-06: shell_enabled false: the tool is not offered and a call is refused", async () => {
  await using t = await startTestHost({
    plugins: [sandbox, shell],
    config: { security: { shell_enabled: false } },
  });
  expect(t.slot(Tools).get("shell")!.offered!()).toBe(false);
  expect(await t.call("shell", { command: "touch ran" }, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "TOOL_NOT_OFFERED",
  });
  expect(readdirSync(t.runtime.workspace)).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "SEC-15: where a closed file explains how a command ended, its result says so, and nothing is said of others",
  async () => {
    await using t = await startTestHost({ plugins: [sandbox, shell] });
    const { workspace } = t.runtime;
    mkdirSync(path.join(workspace, ".git"));
    for (const [file, text] of [
      [".env", "KEY=x\n"],
      [".env.example", "KEY=\n"],
      [".git/config", "[core]\n\tbare = false\n"],
      [".git/HEAD", "ref: refs/heads/main\n"],
    ] as const)
      writeFileSync(path.join(workspace, file), text);
    for (const folder of [".git/objects", ".git/refs"]) mkdirSync(path.join(workspace, folder));
    const says = async (command: string) => (await t.call("shell", { command })).text;
    const guarded = ".git/config is guarded: only its owner changes it]";
    expect(await says("git config user.name Ada")).toContain(guarded);
    expect(await says("echo x >> .git/config")).toContain(guarded);
    expect(await says("cat $(echo .env)")).toContain(
      "[exit code 1; .env is a secret file, which no command reads: only its owner does]",
    );
    for (const quiet of ["ls -a", "cat .env.example", "cat .git/config", "cat .env.none; echo .envrc"])
      expect(await says(quiet)).not.toMatch(/secret|guarded/);
  },
);

test("TOL-01: without a sandbox the tool is not offered and refuses", async () => {
  await using t = await startTestHost({ plugins: [shell] });
  expect(t.slot(Tools).get("shell")!.offered!()).toBe(false);
  expect(await t.call("shell", { command: "true" }, { approvals: "yes" })).toMatchObject({
    decision: "refused",
    code: "TOOL_NOT_OFFERED",
  });
});

test("TOL-01: the guards are shown the very text that runs, and so is the person", async () => {
  const options = {
    sandbox: undefined,
    enabled: true,
    tries: () => false,
    timeoutMs: 1_000,
    maxOutputBytes: 1_000,
    closed: () => [],
  };
  const tool = shellTool(options);
  const args = { command: "echo 'a b' | cat" };
  const { effects, cwd, session, user, signal } = toolRun(tool, args);
  expect(tool.effects!(args, { cwd, session, user })).toEqual({ commands: [args.command] });
  expect(tool.preview!(args, { effects, signal })).toBe(args.command);
});
