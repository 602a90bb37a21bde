import { spawn } from "node:child_process";
import { close, libcCall, pipe } from "./kernel.ts";

const CLOEXEC = 1;

/**
 * A shell that waits for the service to go away, however it goes, and then kills every group that is still in the ledger
 * and whatever is left in the control groups, where nothing may be made any more by then. It reads nothing but the end of a
 * pipe, so it costs nothing while the service lives.
 */
const SCRIPT = `read -r _
for at; do [ -e "$at/pids.max" ] && echo 0 > "$at/pids.max"; [ -e "$at/cgroup.kill" ] && echo 1 > "$at/cgroup.kill"; done
while read -r group; do [ -n "$group" ] && kill -KILL "-$group"; done <&3
for at; do
  tries=0
  while read -r first < "$at/cgroup.procs" && [ -n "$first" ] && [ $((tries += 1)) -lt 200 ]; do
    while read -r process; do kill -KILL "$process"; done < "$at/cgroup.procs"
  done
done`;

export interface Guardian {
  /** The descriptor of the ledger: a line for each group. */
  readonly ledger: number;
  /** Lets the guardian go and waits for it; what the ledger still names is killed. */
  release(): void;
}

/** `cgroups`: directories that hold nothing but what this service started. Throws KernelError. */
export function startGuardian(cgroups: readonly string[]): Guardian {
  const ledger = libcCall("memfd_create", ["const char *", "uint"], "gantry-groups", CLOEXEC);
  const [read, hold] = pipe();
  const guardian = spawn("/bin/sh", ["-c", SCRIPT, "guardian", ...cgroups], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: [read, "ignore", "ignore", ledger],
  });
  guardian.unref();
  close(read);
  const release = (): void => {
    [hold, ledger].forEach(close);
    if (guardian.pid !== undefined) libcCall("waitpid", ["int", "void *", "int"], guardian.pid, null, 0);
  };
  return { ledger, release };
}
