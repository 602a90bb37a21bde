import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import shell from "../tool-shell/index.ts";
import sandbox from "./index.ts";
import { statOf } from "./supervisor/descendants.ts";
import {
  type SandboxKit,
  confinedOf,
  linux,
  processesWith,
  startSandbox,
  until,
} from "./sandbox.test-kit.ts";

const guarded = [".git/hooks", ".git/config", ".envrc"];
const OWN = "#!/bin/sh\nexit 0\n";

/** What is the owner's, and what he made just before. */
function prepare(workspace: string): void {
  mkdirSync(path.join(workspace, ".git/hooks"), { recursive: true });
  mkdirSync(path.join(workspace, "own"));
  writeFileSync(path.join(workspace, ".git/config"), "[core]\n\tfsmonitor = own\n");
  for (const file of [".git/hooks/pre-push", "own/.envrc"]) writeFileSync(path.join(workspace, file), OWN);
}

/** Leaves what its owner's programs would obey, and goes on. */
const leaves = [
  "echo evil > .envrc; mkdir -p s/.git; echo '[core] pager = evil' > s/.git/config",
  "(echo evil > .git/hooks/pre-push; rm own/.envrc; echo evil > .git/config) 2> errors",
  "touch up; while :; do sleep 0.05; done",
].join("\n");

function expectOwn(workspace: string): void {
  const at = (file: string): string => path.join(workspace, file);
  expect([".envrc", "s/.git/config"].filter((file) => existsSync(at(file)))).toEqual([]);
  expect(readFileSync(at(".git/config"), "utf8")).toBe("[core]\n\tfsmonitor = own\n");
  for (const file of [".git/hooks/pre-push", "own/.envrc"]) expect(readFileSync(at(file), "utf8")).toBe(OWN);
}

const isUp = (workspace: string) => (): boolean => existsSync(path.join(workspace, "up"));

/** Ends what goes on in this workspace because nobody looks after it: a test that fails leaves nothing behind. */
function endIn(workspace: string): void {
  for (const pid of processesWith("sleep 0.05"))
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) === workspace) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
}

/** What fails before it is awaited fails its own test, and nothing else. */
function heard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

async function lose(kit: SandboxKit): Promise<void> {
  onTestFinished(() => endIn(kit.workspace));
  const run = heard(kit.run(leaves));
  await until(isUp(kit.workspace));
  for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGKILL");
  await expect(run).rejects.toThrow(/ended|closed/);
}

test.runIf(linux)("SBX-05: a call that was lost with its process says so", async () => {
  await using t = await startTestHost({ plugins: [sandbox, shell] });
  onTestFinished(() => endIn(t.runtime.workspace));
  const call = t.call("shell", { command: "touch up; while :; do sleep 0.05; done" });
  await until(isUp(t.runtime.workspace));
  for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGKILL");
  expect(await call).toMatchObject({ code: "SANDBOX_LOST" });
  expect((await t.call("shell", { command: "echo next" })).text).toContain("next");
});

for (const namespaces of [true, false]) {
  const how = namespaces ? "held by the kernel" : "without namespaces";

  test.runIf(linux)(
    `SEC-15: what a run leaves whose process was lost is undone before the next, ${how}`,
    async () => {
      await using kit = await startSandbox({ namespaces, guarded, prepare });
      await lose(kit);
      expect((await kit.run("cat .envrc; echo ran")).stdout).toBe("ran\n");
      expectOwn(kit.workspace);
      expect(kit.left).toContainEqual(expect.stringMatching(/^undone: a change of \.envrc, set aside as /));
    },
  );

  test.runIf(linux)(
    `SEC-15: what a run leaves whose service was killed is undone by the next, ${how}`,
    async () => {
      const [at, notes] = ["workspace", "notes"].map((name) =>
        realpathSync(mkdtempSync(path.join(tmpdir(), `gantry-lost-${name}-`))),
      ) as [string, string];
      prepare(at);
      const kit = new URL("./service.test-kit.ts", import.meta.url).pathname;
      const options = { namespaces, guarded, at, notes };
      const argv = ["--conditions=gantry-source", kit, leaves, JSON.stringify(options)];
      const service = spawn(process.execPath, argv, { stdio: "ignore" });
      try {
        await until(isUp(at));
        // It would see to its run itself.
        const held = confinedOf(service.pid!);
        for (const pid of held) process.kill(pid, "SIGSTOP");
        service.kill("SIGKILL");
        await once(service, "exit");
        for (const pid of held) process.kill(pid, "SIGKILL");
        await using next = await startSandbox(options);
        expect((await next.run("cat .envrc; echo ran")).stdout).toBe("ran\n");
        expectOwn(at);
        const { left } = next;
        expect(left).toContainEqual(expect.stringMatching(/^undone: a change of \.envrc, set aside as /));
        expect((await next.run("true")).exitCode).toBe(0);
        expect(next.left).toHaveLength(left.length);
      } finally {
        service.kill("SIGKILL");
        endIn(at);
        for (const folder of [at, notes]) rmSync(folder, { recursive: true, force: true });
      }
    },
  );
}

for (const [how, options, rest] of [
  ["held by the kernel", {}, "sleep 900"],
  ["without namespaces", { namespaces: false }, "sleep 900"],
  // What asks for nothing cannot be told there from what is somebody else's.
  ["without namespaces and control groups", { namespaces: false, cgroups: false }, "wait"],
] as const)
  test.runIf(linux)(`SBX-05: a run whose process was lost does not go on, ${how}`, async () => {
    await using kit = await startSandbox(options);
    const word = `lost-${process.pid}-${performance.now()}`;
    const run = heard(kit.run(`setsid bash -c 'while :; do sleep 0.02; done' ${word} & touch up; ${rest}`));
    await until(() => isUp(kit.workspace)() && processesWith(word).length > 0);
    for (const pid of confinedOf(process.pid)) process.kill(pid, "SIGKILL");
    await expect(run).rejects.toThrow(/ended|closed/);
    await until(() => processesWith(word).length === 0);
  });

test.runIf(linux)(
  "SBX-05: what starts a run ends it, also where its answer finds nobody any more",
  async () => {
    await using kit = await startSandbox({ walls: false });
    const seconds = `9${process.pid}.${Math.floor(performance.now() * 1000)}`;
    const run = heard(kit.run(`touch up; sleep ${seconds}; true`));
    await until(isUp(kit.workspace));
    const [confined] = confinedOf(process.pid);
    process.kill(confined!, "SIGSTOP");
    await until(() => statOf(confined!)?.[0] === "T");
    const list = { do: "list", path: kit.workspace, limit: 1 } as const;
    const listed = heard(kit.confinement.request<"list">(list, new AbortController().signal));
    // Asked by then, and not answered.
    await new Promise((resolve) => setImmediate(resolve));
    const closed = kit.confinement.close();
    for (const asked of [run, listed]) await expect(asked).rejects.toThrow(/closed/);
    process.kill(confined!, "SIGCONT");
    await closed;
    await until(() => processesWith(seconds).length === 0);
  },
);

test.runIf(linux)(
  "SEC-15: a run that closes folders behind itself is looked after all the same",
  async () => {
    await using kit = await startSandbox({ namespaces: false, guarded });
    await kit.run("mkdir s; echo evil > s/.envrc; chmod 600 s");
    expect(readdirSync(path.join(kit.workspace, "s"))).not.toContain(".envrc");
    expect((await kit.run("echo on")).stdout).toBe("on\n");
  },
);

test.runIf(linux)(
  "SBX-05: a sandbox that is closed leaves no process, unused or looking after a lost run",
  async () => {
    for (const lost of [false, true]) {
      await using kit = await startSandbox({ namespaces: false });
      if (lost) await lose(kit);
      await kit.confinement.close();
      expect(confinedOf(process.pid)).toEqual([]);
    }
  },
);

test.runIf(linux)(
  "SBX-05: a process that ends while its walls rise or what it runs asks for something ends with its own code",
  async () => {
    const kit = new URL("./service.test-kit.ts", import.meta.url).pathname;
    const script = "while :; do setsid true; done";
    for (let i = 0; i < (process.env.GANTRY_LONG ? 100 : 6); i++) {
      const at = mkdtempSync(path.join(tmpdir(), "gantry-exit-"));
      const argv = ["--conditions=gantry-source", kit, script, JSON.stringify({ at })];
      const service = spawn(process.execPath, [...argv, String(40 * i)], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      const said = text(service.stderr);
      expect([await once(service, "exit"), await said]).toEqual([[7, null], ""]);
      rmSync(at, { recursive: true, force: true });
    }
  },
);
