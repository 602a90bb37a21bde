import {
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { RunResult } from "@gantry/sdk";
import { blockedCommands } from "./service/blocked-commands.ts";
import { Confinement } from "./service/confinement.ts";
import { childEnvironment } from "./service/environment.ts";
import { grants } from "./service/grants.ts";
import { type Bounds } from "./config.ts";
import { prepareLimits } from "./service/limits.ts";
import { descends } from "./supervisor/descendants.ts";
import { runsFolder } from "./view/runs-folder.ts";
import { wantedViews } from "./view/wanted-views.ts";

export const linux = process.platform === "linux";

/** The ways in which a run works if namespaces are to be had. */
export const tiers = ["view", "direct"] as const;

export interface SandboxKit extends AsyncDisposable {
  /** The folder of the layers of runs, if they have any. */
  readonly layers: string;
  readonly confinement: Confinement;
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
  /** False leaves control groups out, as when a machine gives none. */
  readonly cgroups?: boolean;
  readonly abiCap?: number;
  readonly walls?: boolean;
  /** The value of `security.runs`; default: "view". */
  readonly runs?: "view" | "direct";
  /** False: as when the system refuses namespaces. */
  readonly namespaces?: boolean;
  readonly secret?: readonly string[];
  readonly guarded?: readonly string[];
  readonly blocked?: readonly string[];
  /** A folder that is there already; it stays. */
  readonly at?: string;
  /** The folder of the layers of runs; default: a folder of its own. */
  readonly state?: string;
  /** Most milliseconds from a run's end to its answer. */
  readonly lateMs?: number;
  /** True: the confined process is one that was taken over, `hostile-confined.test-kit.ts`. */
  readonly hostile?: boolean;
  /** Puts things into the workspace before anything starts. */
  prepare?(workspace: string): void;
}

/** Starts a sandbox with a workspace of its own, without a host. */
export async function startSandbox({
  bounds,
  cgroups = true,
  abiCap,
  walls = true,
  namespaces = true,
  secret = [".env"],
  guarded = [".git/hooks", ".git/config"],
  blocked = [],
  at,
  state: kept,
  lateMs,
  hostile = false,
  runs = "view",
  prepare,
}: KitOptions = {}): Promise<SandboxKit> {
  const workspace = at ?? realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-sandbox-")));
  const state = kept ?? mkdtempSync(path.join(tmpdir(), "gantry-state-"));
  prepare?.(workspace);
  const all = {
    max_memory_mb: 512,
    max_cpu_percent: 100,
    max_processes: 64,
    max_file_descriptors: 256,
    max_file_mb: 256,
    max_disk_mb: 512,
    max_workspace_mb: 1_024,
    ...bounds,
  };
  const prepared = prepareLimits(all, cgroups);
  const granted = await grants({
    read: ["/usr", "/lib", "/lib64", "/bin", "$WORKSPACE"],
    write: ["$WORKSPACE"],
    blocked: [],
    workspace,
    configDir: path.join(tmpdir(), "gantry-no-configuration"),
    own: [],
  });
  const { files } = blockedCommands(blocked);
  const built = {
    ...granted,
    ...prepared.walls,
    blocked: files,
    tcp: false,
  };
  const entries = hostile ? hostileEntries() : undefined;
  const layers = runsFolder(state, workspace);
  const wanted = walls && namespaces ? runs : "direct";
  const base = import.meta.url;
  const diskMb = all.max_disk_mb;
  const facts = { workspace, secret, guarded, diskMb };
  const { views } = await wantedViews({ wanted, base, layers, granted, ...facts });
  const confinement = await Confinement.start({
    views,
    base: entries === undefined ? import.meta.url : pathToFileURL(path.join(entries, "index.ts")).href,
    lateMs,
    abiCap,
    namespaces,
    ...facts,
    workspaceMb: all.max_workspace_mb,
    ...(walls && { walls: built, limits: prepared, prefix: prepared.prefix }),
  });
  const env = { ...childEnvironment(undefined), HOME: workspace };
  return {
    confinement,
    workspace,
    layers,
    async run(
      command,
      { timeoutMs = 45_000, maxOutputBytes = 65_536, signal = new AbortController().signal } = {},
    ) {
      const argv = ["/bin/bash", "--norc", "--noprofile", "-c", command];
      const { value } = await confinement.request<"run">(
        { do: "run", argv, cwd: workspace, env, timeoutMs, maxOutputBytes },
        signal,
      );
      return value;
    },
    async [Symbol.asyncDispose]() {
      await confinement.close();
      await views?.close();
      prepared.close();
      if (entries !== undefined) rmSync(entries, { recursive: true });
      if (at === undefined) rmSync(workspace, { recursive: true, force: true });
      if (kept === undefined) rmSync(state, { recursive: true, force: true });
    },
  };
}

/** Makes a folder with the entries of the plugin, one of which is another program. */
function hostileEntries(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-hostile-"));
  for (const [name, program] of [
    ["confined-worker", "hostile-confined.test-kit"],
    ["supervisor-worker", "supervisor-worker"],
  ] as const)
    writeFileSync(
      path.join(folder, `${name}.ts`),
      `import ${JSON.stringify(new URL(`./${program}.ts`, import.meta.url).href)};\n`,
    );
  return folder;
}

/** Returns the processes whose command line holds the word; zombies have none. */
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

/** Returns the confined processes of a service. */
export function confinedOf(service: number): readonly number[] {
  return processesWith("confined-worker").filter((pid) => descends(pid, service));
}

/** Counts the dead children of this process that nobody has asked for. */
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

/** Resolves once the condition holds; throws after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !condition();) {
    if (performance.now() > end) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Returns true if every user may start Node and read these files. */
export function openToAll(): boolean {
  const files = [
    process.execPath,
    import.meta.dirname,
    path.join(import.meta.dirname, "../../node_modules/koffi"),
  ];
  return files.every((file) => {
    for (let at = file; at !== "/"; at = path.dirname(at)) if (!(statSync(at).mode & 1)) return false;
    return true;
  });
}
