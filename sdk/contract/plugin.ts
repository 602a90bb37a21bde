import type { Logger } from "./logger.ts";
import type { Static, TObject } from "typebox";
import type { ErrorTable } from "./errors.ts";
import type { Awaitable } from "./awaitable.ts";
import type { HookName, Taps } from "./hooks.ts";
import type { OnboardingStep } from "./onboarding.ts";
import type { AnySlot, Filled, Slot } from "./slot.ts";

/** The sdk's level: raised by one when a plugin that worked yesterday would not load today. */
export const SDK_LEVEL = 3;

/** The level before, whose plugins still load: their imports find the doors as they were. */
export const EARLIER_LEVEL = 2;

export type NeededSlots = Readonly<Record<string, AnySlot>>;

/** The door of one plugin to the host. Everything done through it is undone on dispose. */
export interface PluginHost<Config = unknown, Needs extends NeededSlots = NeededSlots> {
  readonly name: string;
  /** The plugin's table, checked, with defaults filled in, frozen. */
  readonly config: Config;
  readonly needs: { readonly [K in keyof Needs]: Filled<Needs[K]> };
  readonly log: Logger;
  /** Aborted first thing on dispose; pass it to requests, timers and streams. */
  readonly signal: AbortSignal;
  readonly hooks: Taps;
  /**
   * Fills a slot that the plugin lists in `provides`; returns a function that takes the value out.
   */
  provide<T>(slot: Slot<T>, value: T): () => void;
  /** Called once every plugin is set up, in order of need. */
  onReady(start: () => Awaitable<void>): void;
  /**
   * Called if the host serves, before any service starts: load here what is needed only later, when
   * it might not load.
   */
  onServe(prepare: () => Awaitable<void>): void;
  /** Called on dispose, last registered first; what the plugin needs is still there. */
  onDispose(stop: () => Awaitable<void>): void;
}

export interface PluginDefinition<Config extends TObject = TObject, Needs extends NeededSlots = NeededSlots> {
  /** Lower case, digits, `-`: `channel-post`. */
  readonly name: string;
  readonly summary?: string;
  /**
   * The level that the author wrote this against, as a number: what a loose file states. A package
   * states it in its package.json, as `gantry.sdk`. Without either, the plugin is taken for one of
   * the host's own level.
   */
  readonly sdk?: number;
  /**
   * The table of `config` in config.toml. Default `plugins_config.<name>`; `""` is the file's root,
   * for plugins that read shared tables.
   */
  readonly table?: string;
  readonly config?: Config;
  readonly needs?: Needs;
  readonly provides?: readonly AnySlot[];
  readonly taps?: readonly HookName[];
  /**
   * Dotted keys of the policy that this plugin enforces: `agent.autonomy_level`, or keys of
   * `[security]`. Without an enforcer of the level no tool runs; a key of `[security]` in the file
   * without one stops the start.
   */
  readonly enforces?: readonly string[];
  /** The step of `gantry onboard` that sets up its channel or its tool. */
  readonly onboarding?: OnboardingStep;
  /**
   * The number of the layout of what it keeps on disk: raised by one if an earlier release could
   * not read it.
   */
  readonly layout?: number;
  /** The plugin's own rows of the error table. */
  readonly errors?: ErrorTable;
  /**
   * Registers. Sockets, timers and files wait for `onReady` or for the first use. Awaited; what it
   * returns is not looked at.
   */
  setup(host: PluginHost<Static<Config>, Needs>): unknown;
}

/** A plugin is a value with its facts on it. */
export interface Plugin extends PluginDefinition<any, any> {
  readonly sdk: number;
}

export function definePlugin<Config extends TObject = TObject<{}>, Needs extends NeededSlots = {}>(
  definition: PluginDefinition<Config, Needs>,
): Plugin {
  return Object.freeze({ ...definition, sdk: definition.sdk ?? SDK_LEVEL });
}
