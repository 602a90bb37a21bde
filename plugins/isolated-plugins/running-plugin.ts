import { type AnySlot, GantryError, type Logger } from "@gantry/sdk";
import { deepFreeze } from "@gantry/sdk/node";
import { type AlonePlugin, loadAlone } from "@gantry/sdk/testing";
import { errors } from "./errors.ts";

/** The plugin that a process is asked to load. */
export interface ToLoad {
  /** A bundled name, or the file of the module. */
  readonly name: string;
}

/** A slot that the plugin needs, as its code states it. */
export interface NeededSlot {
  readonly id: string;
  readonly optional: boolean;
}

/** Facts that the code of the plugin states. */
export interface LoadedFacts {
  readonly needs: readonly NeededSlot[];
}

/** Values for its setup. */
export interface ToSetUp {
  /** Its part of the configuration, from the root of config.toml on. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Values of the slots that it needs, by their ids. */
  readonly needs: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
}

/** The plugin in its own process, and the service that it is asked by. */
export class RunningPlugin {
  readonly #tell: (...args: readonly unknown[]) => Promise<unknown>;
  readonly #log: Logger;
  #loaded: Awaited<ReturnType<typeof loadAlone>> | undefined;
  #alone: AlonePlugin | undefined;
  #needs: ToSetUp["needs"] = {};
  #told: Promise<unknown>[] = [];
  #isSetUp = false;
  #last = 0;

  constructor(tell: (...args: readonly unknown[]) => Promise<unknown>, log: Logger) {
    this.#tell = tell;
    this.#log = log;
  }

  take(step: unknown, [given]: readonly unknown[]): unknown {
    if (step === "load") return this.#load(given as ToLoad);
    if (step === "setup") return this.#setUp(given as ToSetUp);
    if (!this.#alone) throw new TypeError("it was not set up");
    if (step === "ready") return this.#alone.ready();
    if (step === "serve") return this.#alone.prepare();
    if (step === "dispose") return this.#alone.dispose();
    throw new TypeError(`${String(step)} is no step`);
  }

  async #load({ name }: ToLoad): Promise<LoadedFacts> {
    this.#loaded = await loadAlone(name, process.cwd());
    const needs = Object.values(this.#loaded.plugin.needs ?? {}) as readonly AnySlot[];
    return { needs: needs.map(({ id, optional }) => ({ id, optional })) };
  }

  async #setUp({ config, needs, timeoutMs }: ToSetUp): Promise<void> {
    const { plugin, start } = this.#loaded!;
    this.#needs = needs;
    const own = tableIn(config, plugin.table ?? `plugins_config.${plugin.name}`);
    const hooks = { add: (_: string, ...tap: readonly unknown[]) => this.#tap(tap) };
    const registry = {
      put: (_: string, slot: AnySlot, value: unknown) => this.#put(slot, value),
      get: ({ id }: AnySlot) => this.#needs[id],
    };
    const around = { hooks, registry, log: this.#log, timeoutMs };
    this.#alone = start(deepFreeze(own), around);
    await this.#alone.setup();
    await Promise.all(this.#told);
    this.#isSetUp = true;
  }

  #tap([hook, work, options]: readonly unknown[]): () => void {
    this.#say("tap", hook, options, work);
    return () => undefined;
  }

  #put(slot: AnySlot, value: unknown): () => void {
    const number = ++this.#last;
    this.#say("provide", number, slot.id, value);
    return () => this.#say("withdraw", number);
  }

  /** Tells the service. A failure fails the setup; after that it is logged. */
  #say(...what: readonly unknown[]): void {
    const told = this.#tell(...what);
    if (!this.#isSetUp) this.#told.push(told);
    told.catch((error: Error) => {
      if (!this.#isSetUp) return;
      const { code, message } = error instanceof GantryError ? error : errors.ISOLATED_FAILED(error);
      this.#log.error({ code }, message);
    });
  }
}

function tableIn(tree: Readonly<Record<string, unknown>>, table: string): unknown {
  const names = table.split(".").filter((name) => name !== "");
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name] ?? {}, tree);
}
