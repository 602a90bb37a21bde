import type { FileSearch, RunSpec, SearchResult } from "@gantry/sdk/fill";
import type { RunResult, Sandbox } from "@gantry/sdk";
import { coded } from "./coded.ts";
import type { Outcome } from "./asked.ts";
import { ConfinedFault, ProcessLost } from "./failures.ts";
import { childEnvironment } from "./environment.ts";
import { errors as own } from "../errors.ts";
import type { Request } from "../messages.ts";
import type { Openings } from "./openings.ts";
import type { Homes } from "./homes.ts";
import type { Walled } from "./walled.ts";

/** The sandbox as tools see it. */
export function sandboxOf(homes: Homes, openings: Openings, confining: string | undefined): Sandbox {
  const request = <K extends Exclude<Request["do"], "search">>(
    what: Extract<Request, { do: K }>,
    signal: AbortSignal,
  ): Promise<Outcome<K>> => homes.use((walled) => requested<K>(walled, what, signal));
  return {
    policy: () => homes.use(async (walled) => (await walled.state()).policy),
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
      search: (search, signal) => homes.use((walled) => searched(walled, search, signal)),
    },
    run: (spec) => homes.use((walled) => ran(walled, spec)),
    open: (spec) => openings.open(spec),
    confining,
  };
}

async function requested<K extends Exclude<Request["do"], "search">>(
  walled: Walled,
  what: Extract<Request, { do: K }>,
  signal: AbortSignal,
): Promise<Outcome<K>> {
  const { confinement } = await walled.open();
  try {
    return await confinement.request<K>(what, signal);
  } catch (error) {
    throw faultOf(error, signal);
  }
}

async function searched(
  walled: Walled,
  search: FileSearch,
  signal: AbortSignal,
): Promise<SearchResult | undefined> {
  const { confinement } = await walled.open();
  try {
    return (await confinement.request<"search">({ do: "search", ...search }, signal)).value;
  } catch (error) {
    if (error instanceof ProcessLost) return undefined;
    throw faultOf(error, signal);
  }
}

async function ran(
  walled: Walled,
  { argv, cwd, env, timeoutMs, maxOutputBytes, signal }: RunSpec,
): Promise<RunResult> {
  const { proxy } = await walled.open();
  const full = { ...childEnvironment(proxy?.url), HOME: walled.home, ...env };
  const run = { do: "run", argv, cwd, env: full, timeoutMs, maxOutputBytes } as const;
  const { value } = await requested<"run">(walled, run, signal);
  await walled.record(value.findings ?? [], argv);
  return value;
}

function faultOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ConfinedFault) return coded(error.fault);
  if (error instanceof ProcessLost) return own.SANDBOX_LOST();
  return signal.aborted ? error : own.SANDBOX_FAILED(error);
}
