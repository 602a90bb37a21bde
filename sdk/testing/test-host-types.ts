import type {
  AnySlot,
  PromptOptions,
  AuditEvent,
  Filled,
  ModelRef,
  GuardOpinion,
  Logger,
  Plugin,
  Provider,
  Runtime,
  TurnResult,
} from "../index.ts";
import type { Decision } from "../fill.ts";

export interface TestHostOptions {
  /**
   * Gantry's own {@link MessageWorker} is loaded with them, unless one of them fills that slot. A
   * tool that asks a person needs a plugin that fills {@link ToolQuestions} among them.
   */
  readonly plugins: readonly Plugin[];
  /** The values that would stand in config.toml, already parsed. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Default: a directory of its own, removed with the host. */
  readonly configDir?: string;
  /** Milliseconds: a hook's answer, a plugin's setup, a person's word. */
  readonly timeouts?: { readonly hook?: number; readonly plugin?: number; readonly approval?: number };
  /** False leaves out onReady. Default true. */
  readonly ready?: boolean;
}

/** The receivers of what a plugin registers and reads that runs without a host around it. */
export interface Around {
  /** Receives its taps; `add` returns the function that takes one away. */
  readonly hooks: { add(plugin: string, hook: string, handler: unknown, options?: object): () => void };
  /** Takes values by `put`, whose result withdraws one; `get` answers needs. */
  readonly registry: {
    put(plugin: string, slot: AnySlot, value: any): () => void;
    get(slot: AnySlot): unknown;
  };
  /** Receives its log lines. */
  readonly log: Logger;
  /** Milliseconds for each step. */
  readonly timeoutMs: number;
}

/** A plugin without a host around it, in the order in which a host would start and stop it. */
export interface AlonePlugin {
  /** Throws PLUGIN_*, with all undone. */
  setup(): Promise<void>;
  /** Runs what `onReady` was given. */
  ready(): Promise<void>;
  /** Runs what `onServe` was given. */
  prepare(): Promise<void>;
  /** Undoes everything, last in first out. */
  dispose(): Promise<void>;
}

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface TestCall extends Partial<PromptOptions> {
  readonly user?: string;
  readonly session?: string;
}

/** A real host in this process. `await using` stops it and removes what it wrote. */
export interface TestHost extends AsyncDisposable {
  readonly configDir: string;
  readonly runtime: Runtime;
  /** Every record, redacted, as the sinks get it. */
  readonly audit: readonly AuditEvent[];
  readonly logs: readonly LogLine[];
  slot<S extends AnySlot>(slot: S): Filled<S>;
  /** One tool call through guards, approval and audit. Approvals default to `none`. */
  call(
    tool: string,
    args: unknown,
    options?: TestCall,
  ): Promise<{ readonly decision: Decision; readonly code?: string; readonly text: string }>;
  explain(tool: string, args: Readonly<Record<string, unknown>>): Promise<readonly GuardOpinion[]>;
  /** One turn of the owner's. */
  ask(text: string, options?: TestCall): Promise<TurnResult>;
  resolveProvider(want: ModelRef): Promise<Provider>;
  /** Registrations by plugin, to compare before and after. */
  registrations(): readonly string[];
  /** Starts the worker of messages and the services. */
  serve(services?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}
