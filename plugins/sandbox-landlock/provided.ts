import { type RunResult, type RunSpec, type Sandbox, errors } from "@gantry/sdk";
import { ConfinedFault, type Outcome } from "./confined-process.ts";
import { childEnvironment } from "./environment.ts";
import { errors as own } from "./errors.ts";
import type { Fault, Request } from "./messages.ts";
import type { Walled } from "./walled.ts";

/** The sandbox as tools see it. */
export function sandboxOf(walled: Walled): Sandbox {
  const request = async <K extends Request["do"]>(
    what: Extract<Request, { do: K }>,
    signal: AbortSignal,
  ): Promise<Outcome<K>> => {
    const { confinement } = await walled.open();
    try {
      return await confinement.request<K>(what, signal);
    } catch (error) {
      if (error instanceof ConfinedFault) throw coded(error.fault);
      throw signal.aborted ? error : own.SANDBOX_FAILED(error);
    }
  };
  return {
    policy: async () => (await walled.state()).policy,
    files: {
      async read(path, maxBytes, signal) {
        const { value, data } = await request<"read">({ do: "read", path, maxBytes }, signal);
        return { data, bytes: value.bytes };
      },
      async write(path, data, signal, options) {
        const written = await request<"write">({ do: "write", path, data, ...options }, signal);
        const { existed, kept } = written.value;
        return kept ? { existed, before: written.data } : { existed };
      },
      list: async (path, limit, signal) => (await request<"list">({ do: "list", path, limit }, signal)).value,
    },
    async run({ argv, cwd, env, timeoutMs, maxOutputBytes, signal }: RunSpec): Promise<RunResult> {
      const { proxy } = await walled.open();
      const full = { ...childEnvironment(walled.workspace, proxy?.url), ...env };
      const { value } = await request<"run">(
        { do: "run", argv, cwd, env: full, timeoutMs, maxOutputBytes },
        signal,
      );
      await walled.record(value.findings ?? [], argv);
      return value;
    },
  };
}

function coded(fault: Fault): Error {
  switch (fault.fault) {
    case "outside":
      return errors.PATH_OUTSIDE(fault.path);
    case "missing":
      return errors.FILE_MISSING(fault.path);
    case "changed":
      return errors.FILE_CHANGED(fault.path);
    case "secret":
      return own.SANDBOX_SECRET(fault.path);
    case "guarded":
      return own.SANDBOX_GUARDED(fault.path);
    case "failed":
      return errors.FILE_FAILED(fault.path, fault.verb, fault.reason);
    case "not started":
      return errors.RUN_FAILED(fault.path, fault.reason);
    case "stale":
      return own.SANDBOX_FAILED("secret files turn up in the workspace faster than they can be hidden");
  }
}
