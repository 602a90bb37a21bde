import path from "node:path";
import type { Action, Manager, ServiceSpec, Step } from "./plan.ts";

const name = "gantry.service";

/** A unit of the user's own systemd. */
export function systemd(spec: ServiceSpec, env: NodeJS.ProcessEnv): Manager {
  const file = path.join(env["XDG_CONFIG_HOME"] || path.join(spec.home, ".config"), "systemd", "user", name);
  const plans: Readonly<Record<Action, readonly Step[]>> = {
    install: [{ do: "write", path: file, text: unit(spec) }, run("daemon-reload"), run("enable", name)],
    uninstall: [maybe("disable", "--now", name), { do: "remove", path: file }, run("daemon-reload")],
    start: [run("start", name)],
    stop: [run("stop", name)],
    restart: [run("restart", name)],
  };
  return {
    file,
    hints: ["To keep it running while you are logged out: loginctl enable-linger"],
    plan: (action) => plans[action],
    query: ["systemctl", "--user", "show", name, "--property=ActiveState,SubState,MainPID"],
    read(code, stdout) {
      if (code !== 0) return undefined;
      const facts = new Map(stdout.split("\n").map((line) => line.split("=", 2) as [string, string]));
      const active = facts.get("ActiveState") ?? "unknown";
      const pid = Number(facts.get("MainPID") ?? 0);
      return {
        running: active === "active",
        state: `${active} (${facts.get("SubState") ?? "unknown"})`,
        ...(pid > 0 && { pid }),
      };
    },
  };
}

function run(...args: readonly string[]): Step {
  return { do: "run", argv: ["systemctl", "--user", ...args] };
}

function maybe(...args: readonly string[]): Step {
  return { do: "run", argv: ["systemctl", "--user", ...args], mayFail: true };
}

/**
 * Hardened by what holds in a user's manager without namespaces of its own: those would show every file of root as nobody's,
 * which ssh and sudo-like tools refuse, and tools have walls of their own.
 */
function unit({ argv, env, limits }: ServiceSpec): string {
  return `[Unit]
Description=Gantry agent service
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=exec
ExecStart=${argv.map(argument).join(" ")}
${Object.entries(env)
  .map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}`)
  .join("\n")}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
KillSignal=SIGTERM
KillMode=mixed
TimeoutStopSec=15
UMask=0077

MemoryMax=${limits.max_memory_mb}M
CPUQuota=${limits.max_cpu_percent}%
TasksMax=${limits.max_processes}
LimitNOFILE=${limits.max_file_descriptors}
LimitCORE=0
OOMPolicy=continue

NoNewPrivileges=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

[Install]
WantedBy=default.target
`;
}

/** As systemd reads it: quotes, backslashes and percent signs are its own. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replace(/%/g, "%%").replace(/\n/g, "\\n")}"`;
}

/** In a command line a dollar sign is one more of them. */
function argument(text: string): string {
  return quoted(text).replace(/\$/g, "$$$$");
}
