import { type RunResult, type RunSpec, type Sandbox as SandboxSlot, errors } from "@gantry/sdk";
import { errors as own } from "./errors.ts";
import { childEnvironment } from "./environment.ts";
import type { FileFault } from "./messages.ts";
import { type Sandbox, ThreadFault } from "./sandbox.ts";
import type { Walled } from "./walled.ts";

/** The sandbox as tools see it. */
export function sandboxOf(walled: Walled): SandboxSlot {
  const order = async <T>(work: (sandbox: Sandbox) => Promise<T>): Promise<T> => {
    const { sandbox } = await walled.open();
    try {
      return await work(sandbox);
    } catch (error) {
      if (error instanceof ThreadFault) throw coded(error.fault);
      throw sandbox.usable ? error : own.SANDBOX_FAILED(error);
    }
  };
  return {
    policy: async () => (await walled.state()).walls,
    files: {
      read: (path, maxBytes, signal) =>
        order((sandbox) => sandbox.order<"read">({ do: "read", path, maxBytes }, signal)),
      write: (path, data, signal, options) =>
        order((sandbox) => sandbox.order<"write">({ do: "write", path, data, ...options }, signal)),
      list: (path, limit, signal) =>
        order((sandbox) => sandbox.order<"list">({ do: "list", path, limit }, signal)),
    },
    async run({ argv, cwd, env, timeoutMs, maxOutputBytes, signal }: RunSpec): Promise<RunResult> {
      const { proxy } = await walled.open();
      const full = { ...childEnvironment(walled.workspace, proxy?.url), ...env };
      return order((sandbox) =>
        sandbox.order<"run">({ do: "run", argv, cwd, env: full, timeoutMs, maxOutputBytes }, signal),
      );
    },
  };
}

function coded(fault: FileFault): Error {
  switch (fault.fault) {
    case "outside":
      return errors.PATH_OUTSIDE(fault.path);
    case "missing":
      return errors.FILE_MISSING(fault.path);
    case "changed":
      return errors.FILE_CHANGED(fault.path);
    case "failed":
      return errors.FILE_FAILED(fault.path, fault.verb, fault.reason);
    case "not started":
      return errors.RUN_FAILED(fault.path, fault.reason);
  }
}
