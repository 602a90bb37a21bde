import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Checks, Sandbox } from "@gantry/sdk";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import autonomy from "../guard-autonomy/index.ts";
import commands from "../guard-commands/index.ts";
import files from "../tool-files/index.ts";
import shell from "../tool-shell/index.ts";
import { sandboxPlugin } from "./plugin.ts";
import { linux, processesWith } from "./sandbox.test-kit.ts";

const base = new URL("./index.ts", import.meta.url).href;
/** As on a kernel that has no Landlock. */
const absent = sandboxPlugin(base, { abiCap: 0 });
const here = sandboxPlugin(base);
/** As when the system refuses namespaces. */
const narrow = sandboxPlugin(base, { namespaces: false });

function start(plugin: typeof here, landlock_enabled?: boolean): Promise<TestHost> {
  const sandboxing = landlock_enabled === undefined ? {} : { landlock_enabled };
  return startTestHost({ plugins: [plugin, shell, files], config: { security: { sandboxing } } });
}
const calls = [
  ["shell", { command: "echo ran" }],
  ["file_read", { path: "file" }],
  ["file_write", { path: "new", content: "x" }],
  ["file_list", {}],
] as const;

test("SBX-03: asked for by hand and absent: every call that starts or opens something is refused, approved or not", async () => {
  await using t = await start(absent, true);
  for (const [tool, args] of calls) {
    for (const approvals of ["none", "yes"] as const) {
      expect(await t.call(tool, args, { approvals })).toMatchObject({
        decision: "refused",
        code: "SANDBOX_ABSENT",
      });
    }
  }
  const run = t
    .slot(Sandbox)
    .run({ argv: ["true"], cwd: "/", timeoutMs: 1, maxOutputBytes: 1, signal: new AbortController().signal });
  await expect(run).rejects.toMatchObject({ code: "SANDBOX_ABSENT" });
  await expect(
    t.slot(Sandbox).files.list(t.runtime.workspace, 1, new AbortController().signal),
  ).rejects.toMatchObject({
    code: "SANDBOX_ABSENT",
  });
  for (const name of ["sandbox-status", "sandbox-doctor"]) {
    const [row] = await t.slot(Checks).get(name)!.run(new AbortController().signal);
    expect(row).toMatchObject({
      what: "sandbox",
      state: "fail",
      detail: expect.stringContaining("such calls are refused"),
    });
  }
  expect(await t.slot(Sandbox).policy()).toMatchObject({ files: false, network: false });
});

for (const [how, plugin, enabled, why] of [
  ["not asked for and absent", absent, undefined, "this kernel has no Landlock"],
  ["switched off", here, false, "landlock_enabled is false"],
] as const) {
  test(`SBX-03: ${how}: every such call asks a person, the reason is said, and what is approved runs`, async () => {
    await using t = await start(plugin, enabled);
    writeFileSync(path.join(t.runtime.workspace, "file"), "content");
    for (const [tool, args] of calls) {
      expect(await t.call(tool, args)).toMatchObject({ decision: "refused", code: "APPROVAL_NO_PERSON" });
      expect(await t.call(tool, args, { approvals: "yes" })).toMatchObject({ decision: "approved" });
      const opinions = await t.explain(tool, args);
      const own = opinions.find(({ by }) => by === "sandbox-landlock")?.outcome;
      expect(own).toMatchObject({
        verdict: "ask",
        code: "SANDBOX_OPEN",
        reason: expect.stringContaining(linux || !enabled ? why : ""),
      });
    }
    const [row] = await t.slot(Checks).get("sandbox-status")!.run(new AbortController().signal);
    expect(row).toMatchObject({ state: "warn", detail: expect.stringContaining("no walls") });
  });
}

test("SBX-03: switched off in autonomous: the state says that nobody is asked, as it is", async () => {
  const config = {
    agent: { autonomy_level: "autonomous" },
    security: { sandboxing: { landlock_enabled: false } },
  };
  await using t = await startTestHost({ plugins: [here, shell, autonomy], config });
  for (const name of ["sandbox-status", "sandbox-doctor"]) {
    const [row] = await t.slot(Checks).get(name)!.run(new AbortController().signal);
    expect(row).toMatchObject({ state: "warn", detail: expect.stringContaining("nobody is asked") });
    expect(row!.detail).not.toContain("asks");
  }
  const opinions = await t.explain("shell", { command: "echo ran" });
  expect(opinions.filter(({ outcome }) => outcome?.verdict === "ask")).toEqual([]);
});

test("SBX-04: without walls timeouts still end the process group, and a shell sets what limits it can", async () => {
  await using t = await start(here, false);
  const n = `8${process.pid}.${Math.floor(performance.now() * 1000)}`;
  const call = await t.call(
    "shell",
    { command: `sleep ${n} & sleep ${n}; wait`, timeout_seconds: 1 },
    { approvals: "yes" },
  );
  expect(call.text).toContain("stopped after 1 s");
  expect(linux ? processesWith(n) : []).toEqual([]);
  expect((await t.call("shell", { command: "ulimit -n; ulimit -c" }, { approvals: "yes" })).text).toContain(
    "256\n0",
  );
});

test.runIf(linux)("SBX-03: with walls the same calls run unasked, and the state is ok", async () => {
  await using t = await start(here, true);
  expect(await t.call("shell", { command: "echo ran" })).toMatchObject({
    decision: "allowed",
    text: "ran\n[exit code 0]",
  });
  const [row] = await t.slot(Checks).get("sandbox-doctor")!.run(new AbortController().signal);
  expect(row).toMatchObject({
    state: "ok",
    detail: expect.stringMatching(
      /Landlock level \d+.*no network.*512 MiB.*64 processes.*100 %.*256 open files/,
    ),
  });
});

test.runIf(linux)("SBX-03: loading the plugin loads no native code", () => {
  const script = `
    await import(${JSON.stringify(base)});
    const { sharedObjects } = process.report.getReport();
    console.log(sharedObjects.filter((one) => one.includes("koffi")).length);`;
  const out = execFileSync(
    process.execPath,
    ["--conditions=gantry-source", "--input-type=module", "-e", script],
    { encoding: "utf8" },
  );
  expect(out.trim()).toBe("0");
});

test.runIf(linux)(
  "SBX-03: status says in one row what holds here, and what is lost where something does not",
  async () => {
    const rows = async (plugin: typeof here) => {
      await using t = await startTestHost({ plugins: [plugin, shell] });
      return t.slot(Checks).get("sandbox-status")!.run(new AbortController().signal);
    };
    expect(await rows(here)).toMatchObject([{ what: "sandbox", state: "ok" }]);
    const [poor, ...more] = await rows(sandboxPlugin(base, { abiCap: 4 }));
    expect([poor, more]).toMatchObject([{ state: "warn", cure: "use a newer kernel" }, []]);
    expect(poor!.detail).toMatch(/Landlock level 4.*signals/);
  },
);

test.runIf(linux)(
  "RUN-08: without namespaces each command asks a person, and opening a file does not",
  async () => {
    await using t = await startTestHost({ plugins: [narrow, shell, files] });
    expect(await t.call("shell", { command: "echo ran" })).toMatchObject({ code: "APPROVAL_NO_PERSON" });
    const said = await t.call("shell", { command: "echo ran" }, { approvals: "yes" });
    expect(said).toMatchObject({ decision: "approved", text: "ran\n[exit code 0]" });
    const opinions = await t.explain("shell", { command: "echo ran" });
    const own = opinions.find(({ by }) => by === "sandbox-landlock")?.outcome;
    expect(own).toMatchObject({ verdict: "ask", code: "SANDBOX_NARROW" });
    expect(await t.call("file_list", {})).toMatchObject({ decision: "allowed" });
  },
);

const autonomously = async (command: string, allow: readonly string[] = []): Promise<string> => {
  const config = { agent: { autonomy_level: "autonomous" }, security: { allow } };
  await using t = await startTestHost({ plugins: [narrow, shell, autonomy, commands], config });
  return (await t.call("shell", { command })).decision;
};

test.runIf(linux)("RUN-08: autonomous without namespaces runs what is plain or allowed by name", async () => {
  expect(await autonomously("echo ran")).toBe("allowed");
  expect(await autonomously("python3 -c 1")).toBe("refused");
  expect(await autonomously("python3 -c 1", ["shell: python3 -c 1"])).toBe("allowed");
});

test("SBX-10: a workspace that holds what runs as the service is refused at the start", async () => {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-own-")));
  const own = sandboxPlugin(pathToFileURL(path.join(workspace, "plugins/sandbox/index.js")).href);
  const start = startTestHost({ plugins: [own], config: { security: { workspace_path: workspace } } });
  await expect(start).rejects.toMatchObject({ code: "SANDBOX_OWN_FILES" });
  rmSync(workspace, { recursive: true });
});

test.runIf(linux)(
  "SBX-10: a process that hangs while it starts is ended, and its call refused unasked",
  async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-hung-")));
    const n = `hung${process.pid}`;
    writeFileSync(
      path.join(folder, "confined-worker.ts"),
      `process.title = "${n}"; setInterval(() => {}, 1e6);`,
    );
    writeFileSync(
      path.join(folder, "supervisor-worker.ts"),
      `import ${JSON.stringify(new URL("./supervisor-worker.ts", base).href)};`,
    );
    const hung = sandboxPlugin(pathToFileURL(path.join(folder, "index.ts")).href, { startMs: 1_000 });
    await using t = await start(hung);
    const call = await t.call("shell", { command: "echo ran" }, { approvals: "yes" });
    expect(call).toMatchObject({ decision: "refused" });
    expect(JSON.stringify(call)).toContain("did not start within 1 s");
    expect(processesWith(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  },
);
