import path from "node:path";
import type { Action, Manager, Scope, ServiceSpec, Step } from "./plan.ts";

const name = "gantry.service";

/** The folder in which the service of the machine keeps everything, closed to others. */
const stateDir = "/var/lib/gantry";

/** A unit of the user's own systemd, or of the machine's. */
export function systemd(spec: ServiceSpec, env: NodeJS.ProcessEnv, scope: Scope = "user"): Manager {
  const isSystem = scope === "system";
  const own = env["XDG_CONFIG_HOME"] || path.join(spec.home, ".config");
  const files = {
    system: path.join("/etc/systemd/system", name),
    user: path.join(own, "systemd/user", name),
  };
  const file = files[scope];
  const run = (...args: readonly string[]): Step => ({ do: "run", argv: systemctl(scope, ...args) });
  const write: Step = isSystem
    ? { do: "write", path: file, text: systemUnit(spec), mode: 0o644 }
    : { do: "write", path: file, text: userUnit(spec), mode: 0o600 };
  const makeUser: Step = {
    do: "run",
    argv: [
      "useradd",
      "--system",
      "--user-group",
      "--home-dir",
      stateDir,
      "--shell",
      "/usr/sbin/nologin",
      "gantry",
    ],
    mayFail: true,
  };
  // Before the first start too, since that is when it is configured.
  const makeDir: Step = {
    do: "run",
    argv: ["install", "-d", "-m", "700", "-o", "gantry", "-g", "gantry", stateDir],
  };
  const plans: Readonly<Record<Action, readonly Step[]>> = {
    install: [...(isSystem ? [makeUser, makeDir] : []), write, run("daemon-reload"), run("enable", name)],
    uninstall: [
      { do: "run", argv: systemctl(scope, "disable", "--now", name), mayFail: true },
      { do: "remove", path: file },
      run("daemon-reload"),
    ],
    start: [run("start", name)],
    stop: [run("stop", name)],
    restart: [run("restart", name)],
  };
  return {
    file,
    other: isSystem
      ? { file: files.user, cure: "leave --system out" }
      : { file: files.system, cure: "add --system" },
    said: isSystem
      ? {
          install: [
            `Installed as ${file}. Start it with \`gantry service start --system\`.`,
            `Its configuration is ${stateDir}: sudo -u gantry SERVICE_CONFIG_DIR=${stateDir} gantry onboard`,
            "It sees no serial port and no GPIO chip until its unit lets it: the page Devices, which the README links, has the lines.",
          ],
          uninstall: [
            `Its user gantry and its directory ${stateDir} stay: \`userdel gantry\` takes the user away.`,
          ],
        }
      : {
          install: [
            `Installed as ${file}. Start it with \`gantry service start\`.`,
            "To keep it running while you are logged out: loginctl enable-linger",
          ],
        },
    plan: (action) => plans[action],
    query: systemctl(scope, "show", name, "--property=ActiveState,SubState,MainPID"),
    read: readState,
  };
}

function systemctl(scope: Scope, ...args: readonly string[]): readonly string[] {
  return ["systemctl", ...(scope === "user" ? ["--user"] : []), ...args];
}

const readState: Manager["read"] = (code, stdout) => {
  if (code !== 0) return undefined;
  const facts = new Map(stdout.split("\n").map((line) => line.split("=", 2) as [string, string]));
  const active = facts.get("ActiveState") ?? "unknown";
  const pid = Number(facts.get("MainPID") ?? 0);
  return {
    running: active === "active",
    state: `${active} (${facts.get("SubState") ?? "unknown"})`,
    ...(pid > 0 && { pid }),
  };
};

/**
 * Hardened by what holds in a user's manager without namespaces of its own: those would show every
 * file of root as nobody's, which ssh and sudo-like tools refuse, and tools have walls of their
 * own.
 */
function userUnit(spec: ServiceSpec): string {
  return `[Unit]
Description=Gantry agent service
StartLimitIntervalSec=0

[Service]
${running(spec, spec.env)}
${hardening}

[Install]
WantedBy=default.target
`;
}

/**
 * Under a user of its own, with nothing to write but its directory. Namespaces stay allowed and the
 * control groups writable, since the walls around tools are made of them; memory may be written and
 * run, since JavaScript is compiled there.
 */
function systemUnit(spec: ServiceSpec): string {
  const inHome = spec.argv.some((part) => /^\/(?:home|root)\//.test(part));
  const env = { ...spec.env, SERVICE_CONFIG_DIR: stateDir, HOME: stateDir };
  return `[Unit]
Description=Gantry agent service
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
User=gantry
Group=gantry
StateDirectory=gantry
StateDirectoryMode=0700
Delegate=yes
${running(spec, env)}
${hardening}
ProtectSystem=strict
ProtectHome=${inHome ? "read-only" : "yes"}
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
RestrictNamespaces=user pid mnt ipc net uts
RemoveIPC=yes
CapabilityBoundingSet=
AmbientCapabilities=
SystemCallErrorNumber=EPERM
SystemCallFilter=@system-service @mount seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
SystemCallFilter=~@clock @cpu-emulation @debug @module @obsolete @raw-io @reboot @swap
SystemCallFilter=pidfd_getfd

[Install]
WantedBy=multi-user.target
`;
}

/**
 * Returns the lines by which it starts, stops, reloads and restarts, for as long as a port is
 * taken, a disk full or a network away.
 */
function running({ argv, limits }: ServiceSpec, env: Readonly<Record<string, string>>): string {
  const memory = limits.max_memory_mb === undefined ? "" : `MemoryMax=${limits.max_memory_mb}M\n`;
  const variables = Object.entries(env).map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}`);
  return `Type=notify
NotifyAccess=all
WatchdogSec=120
TimeoutStartSec=120
ExecStart=${argv.map(argument).join(" ")}
ExecReload=/bin/kill -HUP $MAINPID
${variables.join("\n")}
Restart=on-failure
RestartSec=10
RestartPreventExitStatus=2
KillSignal=SIGTERM
KillMode=mixed
TimeoutStopSec=15
UMask=0077

${memory}LimitNOFILE=${limits.max_open_files}
LimitCORE=0
OOMPolicy=continue
`;
}

const hardening = `NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK`;

/** As systemd reads it: quotes, backslashes and percent signs are its own. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replace(/%/g, "%%").replace(/\n/g, "\\n")}"`;
}

/** In a command line a dollar sign is one more of them. */
function argument(text: string): string {
  return quoted(text).replace(/\$/g, "$$$$");
}
