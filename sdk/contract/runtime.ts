import { Type } from "typebox";
import type { Check } from "./command.ts";
import type { GantryError } from "./errors.ts";
import type { Question, Refusal } from "./hooks.ts";
import type { OnboardingStep } from "./onboarding.ts";
import type { Providers } from "../models/provider.ts";
import { one } from "./slot.ts";

/** The folders and files of this process, and what runs in it; filled by the host. */
export interface Runtime {
  readonly version: string;
  /** `<config_dir>`, 0700. */
  readonly configDir: string;
  readonly configFile: string;
  /** The resolved `workspace_path`; exists. */
  readonly workspace: string;
  /**
   * Returns the workspace of the turn, call or chat command that this is called in: {@link
   * Runtime.workspace}, or a folder in it, to which walls then hold. Throws in a chat command if
   * its agent has none. Absent in hosts of earlier releases.
   */
  workspaceNow?(): string;
  /** Unix ms. */
  readonly started: number;
  /**
   * The errors of the configuration file, whose keys were left out, for a {@link Command} with
   * `despiteProblems`; else none. `curedBy` is the title of the {@link OnboardingStep} that asks
   * for all that a channel's table lacks.
   */
  readonly problems: readonly (GantryError & { readonly curedBy?: string | undefined })[];
  /** Facts of every loaded plugin. */
  readonly plugins: readonly {
    readonly name: string;
    readonly from: string;
    readonly summary?: string;
    /**
     * Ids of the slots that it reads and fills, and its hooks. Absent in hosts of earlier releases.
     */
    readonly needs?: readonly string[];
    readonly provides?: readonly string[];
    readonly taps?: readonly string[];
    readonly state: "running" | "failed" | "left out";
  }[];
  /**
   * Reads which plugins of the base set the configuration leaves out: the ids of the slots that
   * each would fill, and what loads it, as in `add "x" to plugins`. Absent in earlier releases.
   */
  absent?(): Promise<
    readonly { readonly name: string; readonly provides: readonly string[]; readonly cure: string }[]
  >;
}
export const Runtime = one<Runtime>("runtime");

/** One guard's word on a call. */
export interface GuardOpinion {
  readonly by: string;
  readonly outcome: Refusal | Question | undefined;
  /** The rule of `security.allow` that lifts the question. */
  readonly lifted?: string;
}

/** A plugin that comes with Gantry, guards or enforces keys of the policy, and is not loaded. */
export interface MissingGuard {
  readonly plugin: string;
  /** The dotted keys that it would enforce. */
  readonly enforces: readonly string[];
  /** The change that makes the configuration load it, as in `add "guard-x" to plugins`. */
  readonly cure: string;
}

/** The plugins that enforce the policy now. */
export interface Enforcement {
  /** Every dotted key with an enforcer, and the plugins that enforce it. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Guards of the base set that the configuration leaves out, by name. */
  readonly missing: readonly MissingGuard[];
}

/** Tells what the guards would decide, and runs nothing; filled by the host. */
export interface Policy {
  explain(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    user: string,
  ): Promise<readonly GuardOpinion[]>;
  /** Returns the plugins that enforce the policy now. Absent in hosts of earlier releases. */
  enforcement?(): Promise<Enforcement>;
}
export const Policy = one<Policy>("policy");

/** The models and checks that a changed configuration would give. */
export interface Trial {
  readonly models: Providers;
  readonly checks: ReadonlyMap<string, Check>;
}

/**
 * The configuration file, changed in place: comments and layout stay, nothing invalid is written;
 * filled by the host.
 */
export interface ConfigFile {
  /** Returns the value at a dotted key, defaults filled in. */
  get(key: string): unknown;
  /** Returns the steps that a person can be asked for, of every bundled plugin, loaded or not. */
  onboarding(): Promise<readonly OnboardingStep[]>;
  /** Returns the JSON Schema of the whole file: the keys of the host and of all plugins. */
  schema(): Promise<Readonly<Record<string, unknown>>>;
  /** Writes TOML values, all or none; undefined takes a key out. Throws coded errors. */
  set(changes: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Starts everything as it would be with these changes, hands it to `work` and stops it again;
   * writes nothing. Throws what a start would, but for those of `Runtime.problems` that are there
   * still: they stay left out.
   */
  trial<T>(changes: Readonly<Record<string, unknown>>, work: (trial: Trial) => Promise<T>): Promise<T>;
  /**
   * Has the running service apply the file as it is now, be the service this process or another.
   * Resolves once the file is in force. Throws `NOT_RUNNING`, and `RELOAD_FAILED` if the
   * configuration in force stays.
   */
  reload(signal?: AbortSignal): Promise<Reloaded>;
}
/** Dotted keys, after a reload. */
export interface Reloaded {
  /** The keys whose values have changed. */
  readonly applied: readonly string[];
  /** The keys that keep their old values until a restart. */
  readonly needRestart: readonly string[];
}
export const ConfigFile = one<ConfigFile>("config-file");

/** The table `[runtime]`: bounds for whatever a tool starts. */
export const RuntimeLimits = Type.Object({
  max_memory_mb: Type.Integer({
    default: 512,
    minimum: 16,
    description: "Memory of everything that tools start, in MiB.",
  }),
  max_cpu_percent: Type.Integer({
    default: 100,
    minimum: 1,
    description: "Processor time; 100 is one core.",
  }),
  max_processes: Type.Integer({ default: 64, minimum: 4, description: "Processes and threads at a time." }),
  max_file_mb: Type.Integer({
    default: 4_096,
    minimum: 1,
    description: "Size of one file that a tool or a started program writes, in MiB.",
  }),
  max_disk_mb: Type.Integer({
    default: 8_192,
    minimum: 1,
    description:
      "What each disk that a command may write to may lose while it runs, in MiB; it is stopped beyond. Its private /tmp is memory and holds half of max_memory_mb.",
  }),
  max_workspace_mb: Type.Integer({
    default: 65_536,
    minimum: 1,
    description:
      "What the workspace may hold, in MiB. Once it holds more, no command runs in it and no tool writes; one that is running is stopped.",
  }),
  max_file_descriptors: Type.Integer({
    default: 256,
    minimum: 16,
    description: "Open files, sockets and pipes of each process.",
  }),
});
