import {
  GantryError,
  Inbox,
  type AnySlot,
  type Awaitable,
  type HookName,
  type Logger,
  type Plugin,
  type PluginHost,
  type Taps,
} from "@gantry/sdk";
import { hookKinds } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import { asError, withTimeout } from "@gantry/sdk/node";
import { runAs } from "./attribution.ts";
import type { HookTable } from "./hook-table.ts";
import type { Registry } from "./registry.ts";
import { setupFault } from "./setup-fault.ts";

export interface ScopeDeps {
  readonly hooks: HookTable;
  readonly registry: Registry;
  readonly log: Logger;
  /** Milliseconds for setup, for each onReady and for each onDispose. */
  readonly timeoutMs: number;
}

/** One running plugin: the facade it was handed and the list that undoes all it did. */
export class PluginInstance {
  readonly plugin: Plugin;
  readonly #config: unknown;
  readonly #deps: ScopeDeps;
  readonly #undo: (() => Awaitable<void>)[] = [];
  readonly #starts: (() => Awaitable<void>)[] = [];
  readonly #preparations: (() => Awaitable<void>)[] = [];
  readonly #provided = new Set<string>();
  readonly #abort = new AbortController();
  #disposed = false;

  constructor(plugin: Plugin, config: unknown, deps: ScopeDeps) {
    this.plugin = plugin;
    this.#config = config;
    this.#deps = deps;
  }

  /** On a failure all that was done so far is undone. */
  async setup(): Promise<void> {
    const { plugin } = this;
    try {
      await this.#within("setup", () => plugin.setup(this.#facade()));
      for (const slot of plugin.provides ?? []) {
        if (!slot.many && !this.#provided.has(slot.id)) throw errors.SLOT_UNFILLED(plugin.name, slot.id);
      }
    } catch (error) {
      await this.dispose();
      if (error instanceof GantryError) throw setupFault(plugin, error);
      throw errors.PLUGIN_SETUP_FAILED(plugin.name, asError(error));
    }
  }

  async ready(): Promise<void> {
    await this.#getReady("onReady", this.#starts.splice(0));
  }

  /** The host is going to serve. */
  async prepare(): Promise<void> {
    await this.#getReady("onServe", this.#preparations.splice(0));
  }

  /** Undoes everything, last in first out; what throws is logged and the rest goes on. */
  async dispose(): Promise<void> {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    for (const undo of this.#undo.splice(0).toReversed()) {
      try {
        await this.#within("onDispose", undo);
      } catch (error) {
        this.#deps.log.error(
          { plugin: this.plugin.name, err: error },
          `The plugin ${this.plugin.name} failed while it was disposed.`,
        );
      }
    }
    this.#disposed = true;
  }

  async #getReady(what: string, steps: readonly (() => Awaitable<void>)[]): Promise<void> {
    for (const step of steps) {
      try {
        await this.#within(what, step);
      } catch (error) {
        throw error instanceof GantryError
          ? error
          : errors.PLUGIN_READY_FAILED(this.plugin.name, asError(error));
      }
    }
  }

  async #within(what: string, work: () => unknown): Promise<void> {
    const { timeoutMs } = this.#deps;
    await withTimeout(timeoutMs, runAs(this.plugin.name, work), () =>
      errors.PLUGIN_TIMEOUT(this.plugin.name, what, timeoutMs),
    );
  }

  /** Returns the log, whose lines tell the plugin wherever they are logged. */
  #log(): Logger {
    const { log } = this.#deps;
    const named = (level: keyof Logger) => (detail: object, message: string) =>
      runAs(this.plugin.name, () => log[level](detail, message));
    return Object.freeze({
      debug: named("debug"),
      info: named("info"),
      warn: named("warn"),
      error: named("error"),
    });
  }

  #facade(): PluginHost<any, any> {
    const { plugin } = this;
    const { registry, hooks } = this.#deps;
    const { signal } = this.#abort;
    const live = (): void => {
      if (signal.aborted) throw errors.PLUGIN_CLOSED(plugin.name);
    };
    const needs: Record<string, unknown> = {};
    for (const [key, slot] of Object.entries(plugin.needs ?? {}) as [string, AnySlot][]) {
      Object.defineProperty(needs, key, {
        enumerable: true,
        // Everything it needs outlives it, so that it can still say goodbye while it is disposed.
        get: () => {
          if (this.#disposed) throw errors.PLUGIN_CLOSED(plugin.name);
          const filled = registry.get(slot);
          if (slot.id === Inbox.id)
            return (filled as { as?(by: string): unknown } | undefined)?.as?.(plugin.name) ?? filled;
          return slot.many ? new Map(filled as ReadonlyMap<string, unknown>) : filled;
        },
      });
    }
    const taps = Object.fromEntries(
      (Object.keys(hookKinds) as HookName[]).map((hook) => [
        hook,
        Object.freeze({
          tap: (handler: (arg: any) => unknown, options?: object) => {
            live();
            if (!plugin.taps?.includes(hook)) throw errors.PLUGIN_UNDECLARED_TAP(plugin.name, hook);
            this.#undo.push(hooks.add(plugin.name, hook, handler, options));
          },
        }),
      ]),
    ) as unknown as Taps;
    return Object.freeze({
      name: plugin.name,
      config: this.#config,
      needs: Object.freeze(needs),
      log: this.#log(),
      signal,
      hooks: Object.freeze(taps),
      provide: (slot: AnySlot, value: unknown) => {
        live();
        if (!plugin.provides?.some((own: AnySlot) => own.id === slot.id))
          throw errors.SLOT_UNDECLARED(plugin.name, slot.id);
        const withdraw = registry.put(plugin.name, slot, value);
        this.#undo.push(withdraw);
        this.#provided.add(slot.id);
        return () => {
          const at = this.#undo.indexOf(withdraw);
          if (at < 0) return;
          this.#undo.splice(at, 1);
          withdraw();
        };
      },
      onReady: (start: () => Awaitable<void>) => {
        live();
        this.#starts.push(start);
      },
      onServe: (prepare: () => Awaitable<void>) => {
        live();
        this.#preparations.push(prepare);
      },
      onDispose: (stop: () => Awaitable<void>) => {
        live();
        this.#undo.push(stop);
      },
    });
  }
}
