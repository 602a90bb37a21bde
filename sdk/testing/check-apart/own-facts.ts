import { Tools, type Plugin, type ToolSpec } from "../../index.ts";
import { startTestHost, type TestHostOptions } from "../test-host.ts";
import type { PluginFacts } from "./subject.ts";

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly additionalProperties?: unknown;
}

/** Returns the schema of a plugin's keys from the root of config.toml on, as JSON. */
export function configOf({ name, table, config }: Plugin): PluginFacts["config"] {
  if (!config) return undefined;
  const path = (table ?? `plugins_config.${name}`).split(".").filter((part) => part !== "");
  const whole = asWritten(JSON.parse(JSON.stringify(config)) as Schema);
  // The root is shared with others.
  const own = path.length > 0 ? { additionalProperties: false, ...whole } : whole;
  return path.reduceRight<object>(
    (schema, part) => ({ type: "object", properties: { [part]: schema } }),
    own,
  ) as PluginFacts["config"];
}

/** Returns a schema by which what has a default may be left out. */
function asWritten(schema: Schema): Schema {
  const { properties, required, ...rest } = schema;
  if (!properties) return schema;
  const open = Object.entries(properties).map(([key, child]) => [key, asWritten(child)] as const);
  const children = Object.fromEntries(open);
  const isNeeded = (key: string): boolean => {
    const child = children[key];
    return child !== undefined && child.default === undefined && (!child.properties || !!child.required);
  };
  const needed = (required ?? []).filter(isNeeded);
  return { ...rest, properties: children, ...(needed.length > 0 && { required: needed }) };
}

/**
 * Returns the tools that a plugin gives once it is set up, as a model is sent them; none if it does
 * not start.
 */
export async function toolsOf(plugin: Plugin, options: TestHostOptions): Promise<readonly ToolSpec[]> {
  if (!plugin.provides?.some(({ id }) => id === Tools.id)) return [];
  const t = await startTestHost(options).catch(() => undefined);
  if (!t) return [];
  try {
    const own = new Set(t.registrations());
    const tools = [...t.slot(Tools).values()].filter(({ name }) =>
      own.has(`${plugin.name}: ${Tools.id} ${name}`),
    );
    const specs = tools.map(({ name, description, input }) => ({ name, description, input }));
    return JSON.parse(JSON.stringify(specs)) as readonly ToolSpec[];
  } finally {
    await t.stop();
  }
}
