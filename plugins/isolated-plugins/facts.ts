import { readFile } from "node:fs/promises";
import path from "node:path";
import { type AnySlot, type HookName, SDK_LEVEL } from "@gantry/sdk";
import { EARLIER_LEVEL } from "@gantry/sdk/fill";
import type { TObject } from "typebox";
import { errors } from "./errors.ts";
import { lent } from "./lent.ts";
import { isHook, passing, slotOf } from "./slots.ts";

/** The facts that a plugin states before any of its code runs. */
export interface Facts {
  readonly name: string;
  readonly sdk: number;
  readonly needs: readonly string[];
  readonly provides: readonly string[];
  readonly taps: readonly HookName[];
  readonly enforces: readonly string[];
  /** The schema of its keys, from the root of config.toml on. */
  readonly config?: TObject;
}

/** The place of a plugin's code. */
export interface Place {
  /** A bundled name, or the file of the module. */
  readonly entry: string;
  /** The folder of its package; undefined if it is bundled. */
  readonly folder: string | undefined;
}

const lists = ["needs", "provides", "taps", "enforces"] as const;

/** Reads the facts in the package.json nearest to a module. Throws `ISOLATED_FACTS`. */
export async function factsBeside(name: string, file: string): Promise<{ facts: Facts; folder: string }> {
  for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
    const text = await readFile(path.join(folder, "package.json"), "utf8").catch(() => undefined);
    if (text !== undefined) return { facts: readFacts(name, text), folder };
    if (folder === path.dirname(folder))
      throw errors.ISOLATED_FACTS(name, "no package.json states its facts");
  }
}

/** Reads the facts in the text of a package.json. Throws `ISOLATED_FACTS`. */
export function readFacts(name: string, text: string): Facts {
  const { name: stated, gantry = {} } = parsed(name, text);
  const { sdk = SDK_LEVEL, config, inService } = gantry;
  if (inService !== undefined) throw errors.ISOLATED_REFUSED(name, inService);
  const own = gantry["name"] ?? String(stated ?? "").replace(/^(?:@[^/]+\/)?(?:gantry-plugin-)?/, "");
  const [needs, provides, taps, enforces] = lists.map((list) => gantry[list] ?? []);
  const wrong = [needs, provides, taps, enforces].findIndex((list) => !isNames(list));
  if (wrong >= 0) throw errors.ISOLATED_FACTS(name, `\`${lists[wrong]}\` is not a list of names`);
  if (gantry["provides"] === undefined && gantry["taps"] === undefined)
    throw errors.ISOLATED_FACTS(name, "its package.json states neither what it provides nor what it taps");
  if (config !== undefined && (config as { properties?: unknown } | null)?.properties === undefined)
    throw errors.ISOLATED_FACTS(name, "`config` is not the JSON Schema of an object");
  if (sdk !== SDK_LEVEL && sdk !== EARLIER_LEVEL)
    throw errors.ISOLATED_FACTS(name, `\`sdk\` is neither ${SDK_LEVEL} nor ${EARLIER_LEVEL}`);
  const facts = { name: own, sdk, needs, provides, taps, enforces, ...(config !== undefined && { config }) };
  return facts as Facts;
}

/**
 * Returns the schema of a package's own table, `plugins_config.<name>`. Throws `ISOLATED_FACTS` if
 * the package states keys of any other table, which may hold secrets of others.
 */
export function ownKeysOf({ name, config }: Facts): TObject | undefined {
  const within = (schema: unknown, key: string): unknown => {
    const tables = Object((schema as Partial<TObject> | undefined)?.properties) as Tree;
    const other = Object.keys(tables).find((table) => table !== key);
    if (other !== undefined)
      throw errors.ISOLATED_FACTS(name, `\`${other}\` in its keys is outside plugins_config.${name}`);
    return tables[key];
  };
  const own = within(within(config, "plugins_config"), name);
  if (own !== undefined && !isObjectSchema(own))
    throw errors.ISOLATED_FACTS(name, "the `config` of its own table is not the JSON Schema of an object");
  return own as TObject | undefined;
}

function isObjectSchema(schema: unknown): boolean {
  const { type, properties } = Object(schema) as { readonly type?: unknown; readonly properties?: unknown };
  return type === "object" && typeof properties === "object" && properties !== null;
}

type Tree = Readonly<Record<string, unknown>>;

function parsed(name: string, text: string): { readonly name?: unknown; readonly gantry?: Tree } {
  try {
    return Object(JSON.parse(text)) as { readonly gantry?: Tree };
  } catch {
    throw errors.ISOLATED_FACTS(name, "its package.json is not JSON");
  }
}

function isNames(list: unknown): boolean {
  return Array.isArray(list) && list.every((name) => typeof name === "string");
}

/** The slots and hooks of a plugin that passes between processes. */
export interface Passing {
  /** By their ids; each may be empty, as the facts do not say which may. */
  readonly needs: Readonly<Record<string, AnySlot>>;
  readonly provides: readonly AnySlot[];
}

/** Throws `ISOLATED_SLOT` for the first thing that does not pass. */
export function passingOf({ name, needs, provides, taps }: Facts): Passing {
  const slots = (ids: readonly string[], verb: string, passes: (id: string) => boolean): readonly AnySlot[] =>
    ids.map((id) => {
      const slot = passes(id) ? slotOf(id) : undefined;
      if (!slot) throw errors.ISOLATED_SLOT(name, verb, `the slot ${id}`);
      return slot;
    });
  const tap = taps.find((hook) => !isHook(hook));
  if (tap !== undefined) throw errors.ISOLATED_SLOT(name, "taps", tap);
  const needed = slots(needs, "needs", (id) => Object.hasOwn(lent, id));
  return {
    needs: Object.fromEntries(needed.map((slot) => [slot.id, { ...slot, optional: true }])),
    provides: slots(provides, "provides", (id) => Object.hasOwn(passing, id)),
  };
}
