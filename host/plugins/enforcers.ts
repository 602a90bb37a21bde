import { hookKinds } from "@gantry/sdk/fill";
import { Tools, ToolSources } from "@gantry/sdk";
import type { Enforcement, MissingGuard } from "@gantry/sdk/fill";
import type { Logger, Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { HookTable } from "./hook-table.ts";
import type { Registry } from "./registry.ts";

/** The key without whose enforcer no tool runs. */
export const LEVEL = "agent.autonomy_level";

type Facts = Pick<Plugin, "name" | "enforces" | "taps">;

export interface EnforcersNeeds {
  readonly hooks: HookTable;
  readonly loaded: readonly Facts[];
  /** Reads the facts of those plugins of the base set that the configuration leaves out. */
  readonly absent: () => Promise<readonly Facts[]>;
  /** Says what makes the configuration load a plugin. */
  readonly loads: (plugin: string) => string;
  /** True if the program around the host decides which calls run, as the test kit does. */
  readonly levelHeldOutside: boolean;
}

/** Knows which loaded plugin enforces which key of the policy. */
export class Enforcers {
  readonly #needs: EnforcersNeeds;

  constructor(needs: EnforcersNeeds) {
    this.#needs = needs;
  }

  /** True while a plugin that enforces the level judges tool calls: a mere fact is not enough. */
  holdLevel(): boolean {
    const { hooks, loaded, levelHeldOutside } = this.#needs;
    const judges = ({ name, enforces }: Facts): boolean =>
      enforces?.includes(LEVEL) === true && hooks.has(name, "beforeToolCall");
    return levelHeldOutside || loaded.some(judges);
  }

  async enforcement(): Promise<Enforcement> {
    const keys = new Map<string, readonly string[]>();
    for (const { name, enforces = [] } of this.#needs.loaded)
      for (const key of enforces) keys.set(key, [...(keys.get(key) ?? []), name]);
    if (!this.holdLevel()) keys.delete(LEVEL);
    else if (!keys.has(LEVEL)) keys.set(LEVEL, ["host"]);
    return { keys, missing: await this.#missing() };
  }

  /** Says what gives the level an enforcer. */
  async levelCure(): Promise<string> {
    const guard = (await this.#missing()).find(({ enforces }) => enforces.includes(LEVEL));
    return guard?.cure ?? "load a plugin that enforces it";
  }

  /** Says in the log that no tool runs, if there are tools and nothing enforces the level. */
  async warnUnheld(registry: Registry, log: Logger): Promise<void> {
    const hasTools = [Tools, ToolSources].some((slot) => (registry.get(slot)?.size ?? 0) > 0);
    if (!hasTools || this.holdLevel()) return;
    const { code, message } = errors.AUTONOMY_UNENFORCED(await this.levelCure());
    log.warn({ code }, message);
  }

  async #missing(): Promise<readonly MissingGuard[]> {
    const { absent, loads } = this.#needs;
    const guards = (await absent()).filter(isGuard);
    return guards.map(({ name, enforces = [] }) => ({ plugin: name, enforces, cure: loads(name) }));
  }
}

function isGuard({ enforces = [], taps = [] }: Facts): boolean {
  return enforces.length > 0 || taps.some((hook) => hookKinds[hook] === "guard");
}
