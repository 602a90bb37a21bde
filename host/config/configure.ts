import { allOf } from "@gantry/sdk/fill";
import { GantryError, type Plugin } from "@gantry/sdk";
import { partOf, unknownKeys, type ConfigText } from "./check.ts";
import { hostReader, type HostKeys } from "./host-keys.ts";
import { unenforcedKeys } from "./unenforced.ts";
import { mergeSchemas, readerOf, type ConfigReader, type TableNode } from "./schema.ts";

/** A file that was checked against everybody who reads it. */
export interface Configured {
  readonly text: ConfigText;
  readonly host: HostKeys;
  /** Each plugin's part, by the plugin's name. */
  readonly parts: ReadonlyMap<string, unknown>;
  readonly schema: TableNode;
  /** The place of each reader's part in the file. */
  readonly tables: ReadonlyMap<string, string>;
}

/**
 * Checks the file against the host and these plugins, all errors at once; throws CONFIG_*. `others`
 * loads the bundled plugins that are not listed, only if a key is unknown, to say whose it is.
 */
export async function configure(
  text: ConfigText,
  plugins: readonly Plugin[],
  earlier: readonly GantryError[],
  others: () => Promise<readonly Plugin[]>,
): Promise<Configured> {
  const readers = [
    hostReader,
    ...plugins.map(readerOf).filter((reader): reader is ConfigReader => reader !== undefined),
  ];
  const schema = mergeSchemas(readers);
  const problems = new Map<string, GantryError>();
  const parts = new Map(readers.map((reader) => [reader.name, partOf(text, reader, problems)]));
  const root: TableNode = { kind: "table", children: new Map(), owners: new Set() };
  let unknown = unknownKeys(judged(text, earlier), schema, root);
  if (unknown.length > 0) {
    const all = (await others())
      .map(readerOf)
      .filter((reader): reader is ConfigReader => reader !== undefined);
    unknown = unknownKeys(judged(text, earlier), schema, mergeSchemas([hostReader, ...all]));
  }
  const unenforced = earlier.some(isOfPlugin) ? [] : await unenforcedKeys(text, schema, plugins, others);
  const error = allOf([...earlier, ...unknown, ...problems.values(), ...unenforced]);
  if (error) throw error;
  return {
    text,
    host: parts.get(hostReader.name) as HostKeys,
    parts,
    schema,
    tables: new Map(readers.map(({ name, table }) => [name, table])),
  };
}

function isOfPlugin({ code }: GantryError): boolean {
  return code.startsWith("PLUGIN_");
}

/** Nobody knows the keys of a plugin that could not be loaded. */
function judged(text: ConfigText, earlier: readonly GantryError[]): ConfigText {
  const { plugins_config: _, ...tree } = text.tree;
  return earlier.some(isOfPlugin) ? { ...text, tree } : text;
}
