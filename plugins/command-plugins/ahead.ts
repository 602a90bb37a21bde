import { isDeepStrictEqual } from "node:util";
import type { ToolSpec } from "@gantry/sdk";
import type { PluginFacts } from "@gantry/sdk/testing";

type Facts = Readonly<Record<string, unknown>>;

/** Facts that a package states so that they are known before its code runs. */
export interface Ahead {
  /** The schema of its keys, from the root of config.toml on. */
  readonly config?: Facts;
  readonly tools?: readonly ToolSpec[];
}

const isObject = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTool = (value: unknown): boolean =>
  isObject(value) &&
  typeof value["name"] === "string" &&
  /^[\w-]{1,64}$/.test(value["name"]) &&
  typeof value["description"] === "string" &&
  isObject(value["input"]);

/** Reads `gantry.config` and `gantry.tools`; returns what is wrong with them as a text. */
export function readAhead(gantry: unknown): Ahead | string {
  const { config, tools } = (gantry ?? {}) as Facts;
  if (config !== undefined && !(isObject(config) && isObject(config["properties"])))
    return "`gantry.config` is not the JSON Schema of an object";
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isTool)))
    return "`gantry.tools` is not a list of tools, each with name, description and input";
  return {
    ...(config !== undefined && { config }),
    ...(tools !== undefined && { tools: tools as unknown as readonly ToolSpec[] }),
  };
}

/** Returns the dotted keys that a schema names. */
export function keysIn(schema: Facts | undefined, at = ""): readonly string[] {
  const properties = Object.entries((schema?.["properties"] ?? {}) as Readonly<Record<string, Facts>>);
  return properties.flatMap(([name, child]) =>
    isObject(child["properties"]) ? keysIn(child, `${at}${name}.`) : [`${at}${name}`],
  );
}

/** Returns the lines that show what a package states ahead. */
export function linesAhead({ config, tools }: Ahead): readonly string[] {
  return [
    ...(tools ? [`  tools    ${tools.map(({ name }) => name).join(", ") || "-"}`] : []),
    ...(config ? [`  keys     ${keysIn(config).join(", ") || "-"}`] : []),
  ];
}

/** Returns where facts that a package states ahead differ from those of its code. */
export function differencesAhead(stated: Ahead, real: PluginFacts): readonly string[] {
  const cure = "write there what `facts` of `gantry plugins check --json` says";
  const tools = stated.tools && otherNames(stated.tools, real.tools, ({ name }) => name);
  const found = [
    ...(tools && tools.length > 0 ? [`\`gantry.tools\` (${tools.join(", ")})`] : []),
    ...(stated.config && !isDeepStrictEqual(stated.config, real.config ?? {})
      ? [`\`gantry.config\` (${otherKeys(stated.config, real.config).join(", ")})`]
      : []),
  ];
  return found.map(
    (what) => `The plugin ${real.name} states ${what} in its package.json other than its code does: ${cure}.`,
  );
}

/** Returns the names of those that stand in one list alone or differ. */
function otherNames<T>(one: readonly T[], other: readonly T[], nameOf: (value: T) => string): string[] {
  const only = (list: readonly T[], rest: readonly T[]): T[] =>
    list.filter((value) => !rest.some((same) => isDeepStrictEqual(same, value)));
  return [...new Set([...only(one, other), ...only(other, one)].map(nameOf))];
}

function otherKeys(one: Facts, other: Facts = {}): readonly string[] {
  const at = (schema: Facts, key: string): unknown =>
    key
      .split(".")
      .reduce<unknown>(
        (node, part) => ((node as Facts | undefined)?.["properties"] as Facts)?.[part],
        schema,
      );
  const keys = [...new Set([...keysIn(one), ...keysIn(other)])];
  const others = keys.filter((key) => !isDeepStrictEqual(at(one, key), at(other, key)));
  return others.length > 0 ? others : ["what its tables take"];
}
