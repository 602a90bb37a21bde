import type { ToolSpec } from "../../index.ts";
import type { Checked } from "../check-plugin.ts";

/** The statements of a plugin: slots, hooks and keys of the policy by their names. */
export interface PluginFacts {
  readonly name: string;
  /** The level of the sdk that it was written for. */
  readonly sdk: number;
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly string[];
  readonly enforces: readonly string[];
  /**
   * The JSON Schema of its keys, from the root of config.toml on; what has a default may be left
   * out.
   */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** The tools that it gives while it is set up. */
  readonly tools: readonly ToolSpec[];
}

export interface CheckedApart extends Checked {
  readonly facts: PluginFacts;
}

export interface ApartSubject {
  /** The module, by its whole path. */
  readonly entry: string;
  /** The directory of the host that would load it. */
  readonly configDir: string;
  /**
   * A file as config.toml, by its whole path, with the keys that the plugin is tried with; default:
   * none are set.
   */
  readonly config?: string;
  /**
   * The modules of plugins that stand beside it, by their whole paths; what the plugin needs is
   * filled by them first.
   */
  readonly with?: readonly string[];
  /** The time in ms that anything may take in this test; default 5,000. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}
