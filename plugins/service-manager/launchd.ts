import path from "node:path";
import type { Action, Manager, ServiceSpec, Step } from "./plan.ts";

const label = "gantry";

/** An agent of the user's launchd. */
export function launchd(spec: ServiceSpec, uid: number): Manager {
  const file = path.join(spec.home, "Library", "LaunchAgents", `${label}.plist`);
  const domain = `gui/${uid}`;
  const target = `${domain}/${label}`;
  const plans: Readonly<Record<Action, readonly Step[]>> = {
    install: [{ do: "write", path: file, text: plist(spec), mode: 0o600 }, run("enable", target)],
    uninstall: [maybe("bootout", target), { do: "remove", path: file }],
    start: [maybe("bootstrap", domain, file), run("kickstart", target)],
    stop: [run("bootout", target)],
    restart: [maybe("bootstrap", domain, file), run("kickstart", "-k", target)],
  };
  return {
    file,
    said: {
      install: [
        `Installed as ${file}. Start it with \`gantry service start\`.`,
        "launchd has no bound for memory: of [service] only max_open_files holds here.",
        "Nothing shortens its log ~/Library/Logs/gantry.log but a line in /etc/newsyslog.d.",
      ],
    },
    plan: (action) => plans[action],
    query: ["launchctl", "print", target],
    read(code, stdout) {
      const [, state = "unknown"] = /^\s*state = (.+)$/m.exec(stdout) ?? [];
      const [, pid] = /^\s*pid = (\d+)$/m.exec(stdout) ?? [];
      if (code !== 0) return { running: false, state: "not loaded" };
      return { running: state === "running", state, ...(pid !== undefined && { pid: Number(pid) }) };
    },
  };
}

function run(...args: readonly string[]): Step {
  return { do: "run", argv: ["launchctl", ...args] };
}

function maybe(...args: readonly string[]): Step {
  return { do: "run", argv: ["launchctl", ...args], mayFail: true };
}

function plist({ argv, env, home, limits }: ServiceSpec): string {
  const files = `<dict><key>NumberOfFiles</key><integer>${limits.max_open_files}</integer><key>Core</key><integer>0</integer></dict>`;
  const log = text(path.join(home, "Library", "Logs", "gantry.log"));
  // As systemd marks what it starts: what is printed is kept.
  const marked = { ...env, INVOCATION_ID: label };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${argv.map((part) => `    <string>${text(part)}</string>`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(marked)
  .map(([key, value]) => `    <key>${text(key)}</key><string>${text(value)}</string>`)
  .join("\n")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>30</integer>
  <key>ExitTimeOut</key><integer>15</integer>
  <key>Umask</key><integer>63</integer>
  <key>SoftResourceLimits</key>${files}
  <key>HardResourceLimits</key>${files}
  <key>StandardErrorPath</key><string>${log}</string>
</dict>
</plist>
`;
}

function text(value: string): string {
  return value.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
