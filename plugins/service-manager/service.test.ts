import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Commands, type CommandContext } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { afterEach, expect, test, vi } from "vitest";
import plugin from "./index.ts";
import { launchd } from "./launchd.ts";
import type { Scope, ServiceSpec } from "./plan.ts";
import { systemd } from "./systemd.ts";

const limits = { max_open_files: 65_536 };
const spec: ServiceSpec = {
  argv: ["/opt/node", "/opt/gantry/cli.js", "daemon"],
  env: { SERVICE_CONFIG_DIR: "/home/me/.gantry" },
  home: "/home/me",
  limits,
};

const dirs: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/**
 * A home of its own, and a systemctl that writes down what it is asked to change and answers with
 * `script`.
 */
function fakeSystem(script = "exit 0"): { unit: string; asked: () => string[] } {
  const dir = mkdtempSync(path.join(tmpdir(), "gantry-service-"));
  dirs.push(dir);
  const log = path.join(dir, "asked");
  writeFileSync(path.join(dir, "systemctl"), `#!/bin/sh\necho "$@" >> '${log}'\n${script}\n`);
  chmodSync(path.join(dir, "systemctl"), 0o755);
  vi.spyOn(process, "platform", "get").mockReturnValue("linux");
  vi.stubEnv("PATH", `${dir}:/usr/bin:/bin`);
  vi.stubEnv("XDG_CONFIG_HOME", path.join(dir, "config"));
  const asked = (): string[] => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
  const changes = (): string[] => asked().filter((line) => !/^(?:--user )?show /.test(line));
  return { unit: path.join(dir, "config", "systemd", "user", "gantry.service"), asked: changes };
}

async function word(
  name: string,
  options: CommandContext["options"] = {},
  config: object = {},
): Promise<{ code: number; out: string; err: string }> {
  await using host = await startTestHost({ plugins: [plugin], config: { ...config } });
  const said = { out: "", err: "" };
  const run = host.slot(Commands).get(name)!;
  const code = await run.run({
    args: [],
    options,
    out: (line) => void (said.out += `${line}\n`),
    err: (line) => void (said.err += `${line}\n`),
    interactive: false,
    signal: new AbortController().signal,
    serve: async () => 0,
  });
  return { code, ...said };
}

test("CLI-03: service install writes a private unit with the bounds of [service] and none of [runtime], then reloads and enables it", async () => {
  const system = fakeSystem();
  const config = {
    service: { max_memory_mb: 700, max_open_files: 4_000 },
  };
  const { code, err } = await word("service install", {}, config);
  expect(code).toBe(0);
  expect(err).toContain(system.unit);
  const unit = readFileSync(system.unit, "utf8");
  for (const line of [
    "MemoryMax=700M",
    "LimitNOFILE=4000",
    "Type=notify",
    "StartLimitIntervalSec=0",
    "ExecReload=/bin/kill -HUP $MAINPID",
    "NoNewPrivileges=yes",
    "Restart=on-failure",
  ])
    expect(unit.split("\n")).toContain(line);
  expect(unit).toMatch(
    /^ExecStart="[^"]+" "--disable-sigusr1" "--no-memory-protection-keys" "[^"]+" "daemon"$/m,
  );
  expect(unit).toMatch(/^Environment="SERVICE_CONFIG_DIR=[^"]+"$/m);
  expect(statSync(system.unit).mode & 0o777).toBe(0o600);
  expect(system.asked()).toEqual(["--user daemon-reload", "--user enable gantry.service"]);
});

test("CLI-03: a dry run prints the unit on stdout and does nothing", async () => {
  const system = fakeSystem();
  const { code, out, err } = await word("service install", { dryRun: true });
  expect(code).toBe(0);
  expect(out).toMatch(/^\[Unit\]/);
  expect(out).toContain("LimitNOFILE=65536");
  expect(out).not.toMatch(/MemoryMax|CPUQuota|TasksMax/);
  expect(err).toContain("systemctl --user enable gantry.service");
  expect(existsSync(system.unit)).toBe(false);
  expect(system.asked()).toEqual([]);
});

test("CLI-03: start, stop and restart ask the manager, and uninstall takes the unit away", async () => {
  const system = fakeSystem();
  await word("service install");
  for (const action of ["start", "stop", "restart"]) expect((await word(`service ${action}`)).code).toBe(0);
  expect((await word("service uninstall")).code).toBe(0);
  expect(existsSync(system.unit)).toBe(false);
  expect(system.asked().slice(2)).toEqual([
    "--user start gantry.service",
    "--user stop gantry.service",
    "--user restart gantry.service",
    "--user disable --now gantry.service",
    "--user daemon-reload",
  ]);
});

test("CLI-03: what is not installed cannot be started, stopped or uninstalled, and the sentence says what to do", async () => {
  const system = fakeSystem();
  for (const action of ["start", "stop", "restart", "uninstall"])
    await expect(word(`service ${action}`)).rejects.toMatchObject({
      code: "SERVICE_NOT_INSTALLED",
      message: expect.stringContaining("gantry service install"),
    });
  expect(system.asked()).toEqual([]);
});

test("CLI-03: who means the service of the machine without saying so is told how to say it", async () => {
  const system = fakeSystem();
  await word("service install");
  const message = expect.stringContaining(`${system.unit} is: leave --system out`);
  await expect(word("service start", { system: true })).rejects.toMatchObject({ message });
  const { err } = await word("service status", { system: true });
  expect(err).toContain("leave --system out");
  const machine = systemd(spec, {}, "system");
  expect(machine.said.install?.[0]).toContain("gantry service start --system");
  expect(machine.said.uninstall?.[0]).toContain("userdel gantry");
  expect(systemd(spec, {}, "user").other).toEqual({ file: machine.file, cure: "add --system" });
});

test("CLI-03: service status says what the manager says, and its exit code whether the service runs", async () => {
  fakeSystem(`echo "ActiveState=active"; echo "SubState=running"; echo "MainPID=4711"`);
  await word("service install");
  expect(await word("service status")).toMatchObject({
    code: 0,
    out: "installed, active (running), process 4711\n",
  });
  const { out } = await word("service status", { json: true });
  expect(JSON.parse(out)).toEqual({ installed: true, running: true, state: "active (running)", pid: 4711 });
  fakeSystem(`echo "ActiveState=inactive"; echo "SubState=dead"; echo "MainPID=0"`);
  expect(await word("service status")).toMatchObject({ code: 1, out: "not installed, inactive (dead)\n" });
});

test("CLI-03: the service looks for programs where the person does, and not in the folders that npm adds for its scripts", async () => {
  const system = fakeSystem();
  const { PATH } = process.env;
  vi.stubEnv("PATH", `/tmp/node_modules/.bin:.:${PATH}`);
  await word("service install");
  expect(readFileSync(system.unit, "utf8")).toContain(`Environment="PATH=${PATH}"\n`);
});

test("CLI-03: a manager that fails or is not there is named with its own words", async () => {
  const system = fakeSystem(`echo "Failed to connect to bus: No medium found" >&2; exit 1`);
  await expect(word("service install")).rejects.toMatchObject({
    code: "SERVICE_NO_BUS",
    message: expect.stringMatching(/ failed: Failed to connect to bus: No medium found; .* take --system/),
  });
  expect(existsSync(system.unit)).toBe(false);
  await expect(word("service status")).rejects.toMatchObject({ code: "SERVICE_NO_BUS" });
  fakeSystem(`echo "Access denied." >&2; exit 1`);
  await expect(word("service install")).rejects.toMatchObject({
    code: "SERVICE_MANAGER_FAILED",
    message: expect.stringContaining("failed: Access denied; see what it says"),
  });
  vi.stubEnv("PATH", path.dirname(system.unit));
  await expect(word("service status")).rejects.toMatchObject({ code: "SERVICE_NO_MANAGER" });
});

test("CLI-03: a system without a known manager gets a clear error", async () => {
  vi.spyOn(process, "platform", "get").mockReturnValue("win32");
  await expect(word("service install")).rejects.toMatchObject({
    code: "SERVICE_PLATFORM",
    message: expect.stringContaining("gantry daemon"),
  });
});

test("CLI-03: a unit keeps spaces, quotes, percent and dollar signs of a path as they are", () => {
  const [step] = systemd(
    { ...spec, argv: ['/opt/my "50%" $HOME/node', "daemon"], env: { A: 'b\\c "d" %h $e' } },
    {},
  ).plan("install");
  const text = step?.do === "write" ? step.text : "";
  expect(text).toContain(String.raw`ExecStart="/opt/my \"50%%\" $$HOME/node" "daemon"`);
  expect(text).toContain(String.raw`Environment="A=b\\c \"d\" %%h $e"`);
});

/** The unit as systemd reads it, in a file of its name. */
function written(scope: Scope): string {
  fakeSystem();
  const step = systemd({ ...spec, argv: [process.execPath, "daemon"] }, {}, scope)
    .plan("install")
    .find((each) => each.do === "write");
  const file = path.join(dirs.at(-1) as string, "gantry.service");
  writeFileSync(file, step?.do === "write" ? step.text : "");
  return file;
}

const noAnalyze = !existsSync("/usr/bin/systemd-analyze");

test.skipIf(noAnalyze).each(["user", "system"] as const)(
  "CLI-03: systemd itself finds nothing wrong with the unit of a %s",
  (scope) => {
    const file = written(scope);
    const dir = path.dirname(file);
    const env = { ...process.env, XDG_RUNTIME_DIR: dir, HOME: dir };
    const { status, stderr } = spawnSync("/usr/bin/systemd-analyze", ["verify", `--${scope}`, file], {
      env,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  },
);

test.skipIf(noAnalyze)(
  "OPS-04: the exposure of the machine's unit is 3 or less, as systemd counts it",
  () => {
    const args = ["security", "--offline=true", "--threshold=30", written("system")];
    const { status, stdout } = spawnSync("/usr/bin/systemd-analyze", args, { encoding: "utf8" });
    expect([status, stdout.split("\n").find((line) => line.includes("Overall"))]).toEqual([
      0,
      expect.stringMatching(/: [0-2]\.\d|: 3\.0/),
    ]);
  },
);

test("OPS-04: the machine's service has a user and a directory of its own, and waits for the network", async () => {
  fakeSystem();
  const { out, err } = await word("service install", { dryRun: true, system: true });
  for (const line of ["User=gantry", "StateDirectory=gantry", "After=network-online.target"])
    expect(out.split("\n")).toContain(line);
  expect(out).toContain('Environment="SERVICE_CONFIG_DIR=/var/lib/gantry"');
  expect(err).toContain("useradd --system");
  expect(err).toContain("install -d -m 700 -o gantry -g gantry /var/lib/gantry");
  expect(err).toContain("write /etc/systemd/system/gantry.service");
  expect(err).toContain("systemctl enable gantry.service");
});

test("CLI-03: the launchd plist runs the daemon, restarts it after a failure and bounds its files", () => {
  const manager = launchd({ ...spec, argv: ["/opt/a & b/node", "daemon"] }, 501);
  expect(manager.file).toBe("/home/me/Library/LaunchAgents/gantry.plist");
  const [step, enable] = manager.plan("install");
  const text = step?.do === "write" ? step.text : "";
  expect(text).toContain("<string>/opt/a &amp; b/node</string>\n    <string>daemon</string>");
  expect(text).toContain("<key>SERVICE_CONFIG_DIR</key><string>/home/me/.gantry</string>");
  // So that no pairing code stands in its log.
  expect(text).toContain("<key>INVOCATION_ID</key><string>gantry</string>");
  expect(text).toContain("<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>");
  expect(text.match(/<key>NumberOfFiles<\/key><integer>65536<\/integer>/g)).toHaveLength(2);
  expect(enable).toEqual({ do: "run", argv: ["launchctl", "enable", "gui/501/gantry"] });
  expect(manager.plan("restart").at(-1)).toEqual({
    do: "run",
    argv: ["launchctl", "kickstart", "-k", "gui/501/gantry"],
  });
  expect(manager.read(0, "\tstate = running\n\tpid = 42\n")).toEqual({
    running: true,
    state: "running",
    pid: 42,
  });
  expect(manager.read(113, "")).toEqual({ running: false, state: "not loaded" });
});
