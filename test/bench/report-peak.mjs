import { readFileSync } from "node:fs";

// Not resourceUsage().maxRSS: a process begins that figure with what its parent held.
process.on("exit", () =>
  process.stderr.write(
    `peak ${/^VmHWM:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? ""}\n`,
  ),
);
