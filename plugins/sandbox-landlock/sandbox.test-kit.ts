import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunResult } from "@gantry/sdk";
import { childEnvironment } from "./environment.ts";
import { grants } from "./grants.ts";
import { type Bounds, prepareLimits } from "./limits.ts";
import { Sandbox } from "./sandbox.ts";

export const linux = process.platform === "linux";

export interface SandboxKit extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  run(
    command: string,
    options?: {
      readonly timeoutMs?: number;
      readonly maxOutputBytes?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<RunResult>;
}

export interface KitOptions {
  readonly bounds?: Partial<Bounds>;
  /** False leaves control groups out, as where a machine gives none. */
  readonly cgroups?: boolean;
  readonly abiCap?: number;
  readonly walls?: boolean;
}

/** A sandbox with a workspace of its own, without a host. */
export async function startSandbox({
  bounds,
  cgroups = true,
  abiCap,
  walls = true,
}: KitOptions = {}): Promise<SandboxKit> {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-sandbox-")));
  const all = {
    max_memory_mb: 512,
    max_cpu_percent: 100,
    max_processes: 64,
    max_file_descriptors: 256,
    ...bounds,
  };
  const limits = prepareLimits(all, cgroups);
  const granted = grants({
    read: ["/usr", "/lib", "/lib64", "/bin", "$WORKSPACE"],
    write: ["$WORKSPACE"],
    blocked: [],
    workspace,
    configDir: path.join(tmpdir(), "gantry-no-configuration"),
  });
  const base = new URL("./index.ts", import.meta.url).href;
  const cap = abiCap === undefined ? {} : { abiCap };
  const sandbox = await Sandbox.start({
    base,
    ...(walls && { walls: { ...granted, ...limits, ...cap, tcp: false } }),
  });
  const env = childEnvironment(workspace, undefined);
  return {
    sandbox,
    workspace,
    run: (
      command,
      { timeoutMs = 10_000, maxOutputBytes = 65_536, signal = new AbortController().signal } = {},
    ) =>
      sandbox.order<"run">(
        {
          do: "run",
          argv: ["/bin/bash", "--norc", "--noprofile", "-c", command],
          cwd: workspace,
          env,
          timeoutMs,
          maxOutputBytes,
        },
        signal,
      ),
    async [Symbol.asyncDispose]() {
      await sandbox.close();
      limits.close();
      rmSync(workspace, { recursive: true, force: true });
    },
  };
}

/** Processes whose command line holds the word; zombies have none. */
export function processesWith(word: string): readonly number[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/** Dead children of this process that nobody has asked for. */
export function zombies(): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
      return state === "Z" && Number(parent) === process.pid;
    } catch {
      return false;
    }
  }).length;
}

/** Resolves once the condition holds; throws after ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !condition();) {
    if (performance.now() > end) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
