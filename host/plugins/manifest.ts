import { EARLIER_LEVEL, hookKinds } from "@gantry/sdk/fill";
import { SDK_LEVEL, type AnySlot, type GantryError, type Plugin } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { LEVEL } from "./enforcers.ts";

/** Checks a module's plugin before anything of it runs; throws PLUGIN_* with its listed name. */
export function checkManifest(listed: string, value: unknown): Plugin {
  const plugin = value as Partial<Plugin> | undefined;
  if (typeof plugin?.setup !== "function" || typeof plugin.sdk !== "number")
    throw errors.PLUGIN_NOT_A_PLUGIN(listed);
  if (plugin.sdk !== SDK_LEVEL && plugin.sdk !== EARLIER_LEVEL) throw otherLevel(listed, plugin.sdk);
  const wrong = wrongFact(plugin as Plugin);
  if (wrong) throw errors.PLUGIN_BAD_FACTS(listed, wrong);
  return plugin as Plugin;
}

/** Returns why a plugin of this level is not loaded. */
export function otherLevel(name: string, level: number): GantryError {
  const cure =
    level < SDK_LEVEL
      ? "install a newer release of the plugin"
      : "install a newer Gantry, or an older release of the plugin";
  return errors.PLUGIN_SDK_MISMATCH(name, level, SDK_LEVEL, cure);
}

function wrongFact(plugin: Plugin): string | undefined {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(plugin.name ?? ""))
    return "its name must be lower-case letters, digits and -";
  if (!isObject(plugin.needs ?? {})) return "needs must be an object of slots";
  if (![plugin.provides ?? [], plugin.taps ?? []].every(Array.isArray))
    return "provides and taps must be lists";
  const slots: readonly unknown[] = [...Object.values(plugin.needs ?? {}), ...(plugin.provides ?? [])];
  if (!slots.every(isSlot)) return "needs and provides must hold slots made by one() or many()";
  const tap = plugin.taps?.find((hook) => !Object.hasOwn(hookKinds, hook));
  if (tap) return `taps names ${tap}, and the hooks are ${Object.keys(hookKinds).join(", ")}`;
  const enforced = wrongEnforces(plugin);
  if (enforced) return enforced;
  if (plugin.config && (plugin.config as { type?: string }).type !== "object")
    return "config must be a Type.Object()";
  if (plugin.layout !== undefined && !(Number.isInteger(plugin.layout) && plugin.layout > 0))
    return "layout must be a whole number from 1";
  if (plugin.onboarding && typeof plugin.onboarding.ask !== "function")
    return "onboarding must have an ask()";
  if (plugin.table !== undefined && !/^$|^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(plugin.table))
    return "table must be a dotted name";
  return undefined;
}

/** Returns why the stated keys cannot be enforced; the level takes a judge of every tool call. */
function wrongEnforces({ enforces = [], taps = [] }: Plugin): string | undefined {
  if (!Array.isArray(enforces) || !enforces.every((key) => typeof key === "string"))
    return "enforces must be a list of dotted keys";
  return enforces.includes(LEVEL) && !taps.includes("beforeToolCall")
    ? `it enforces ${LEVEL} without beforeToolCall in taps`
    : undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSlot(value: unknown): value is AnySlot {
  return (
    typeof (value as AnySlot | undefined)?.id === "string" && typeof (value as AnySlot).many === "boolean"
  );
}
