import type { FileSearch, RunSpec, SearchResult } from "@gantry/sdk/fill";
import type { RunResult, Sandbox, TriedRun, TryContext, Untried } from "@gantry/sdk";
import { coded } from "./coded.ts";
import type { Hearing, Outcome } from "./asked.ts";
import { ConfinedFault, ProcessLost } from "./failures.ts";
import { childEnvironment } from "./environment.ts";
import { errors as own } from "../errors.ts";
import type { Request } from "../messages.ts";
import type { Openings } from "./openings.ts";
import type { Homes } from "./homes.ts";
import type { Walled } from "./walled.ts";

/** A decision of the last moment still finds what it is about. */
const GRACE_MS = 60_000;

/** Returns the sandbox as tools see it. */
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
    tryRun: (spec, to) => homes.use((walled) => triedRun(walled, spec, to)),
    open: (spec) => openings.open(spec),
    confining,
  };
}

/** Runs a command without the way out that others have, and holds what it did. */
async function triedRun(
  walled: Walled,
  spec: RunSpec,
  { key, waitMs }: Omit<TryContext, "signal">,
): Promise<TriedRun | Untried> {
  const { tries } = await walled.state();
  if ("untried" in tries) return tries;
  let held = await tries.held(key);
  const wrote = (files: readonly string[]): Promise<void> => walled.note(spec.session, files);
  const hold = {
    key,
    forMs: waitMs + GRACE_MS,
    done: (now: typeof held): void => {
      held = now;
    },
  };
  if (held === undefined) await requested<"run">(walled, runOf(walled, spec), spec.signal, { hold });
  if (held === undefined) throw own.SANDBOX_LOST();
  if ("untried" in held) return held;
  const { id, changes, more, diff } = held;
  let { result } = held;
  return {
    get result() {
      return result;
    },
    changes,
    more,
    diff,
    drop: () => tries.drop(id),
    async take() {
      const taken = await tries.take(id, wrote).catch((error: unknown) => {
        throw own.SANDBOX_NOT_TAKEN(error);
      });
      result = { ...result, wrote: taken.wrote };
      await walled.record(taken.findings, spec.argv);
      return taken.findings;
    },
  };
}

async function requested<K extends Exclude<Request["do"], "search">>(
  walled: Walled,
  what: Extract<Request, { do: K }>,
  signal: AbortSignal,
  hearing?: Hearing,
): Promise<Outcome<K>> {
  const { confinement } = await walled.open();
  try {
    return await confinement.request<K>(what, signal, hearing);
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

async function ran(walled: Walled, spec: RunSpec): Promise<RunResult> {
  const { proxy } = await walled.open();
  const { value } = await requested<"run">(walled, runOf(walled, spec, proxy?.url), spec.signal, {
    wrote: (files) => walled.note(spec.session, files),
  });
  await walled.record(value.findings ?? [], spec.argv);
  return value;
}

/** `proxy`: the way out; undefined: none. */
function runOf(
  { home }: Walled,
  { argv, cwd, env, timeoutMs, maxOutputBytes }: RunSpec,
  proxy?: string,
): Extract<Request, { do: "run" }> {
  const full = { ...childEnvironment(proxy), HOME: home, ...env };
  return { do: "run", argv, cwd, env: full, timeoutMs, maxOutputBytes };
}

function faultOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ConfinedFault) return coded(error.fault);
  if (error instanceof ProcessLost) return own.SANDBOX_LOST();
  return signal.aborted ? error : own.SANDBOX_FAILED(error);
}
