import { allOf, GantryError, shownAddress, type Plugin } from "@gantry/sdk";
import { errors } from "../errors.ts";
import { isTree, partOf, unknownKeys, type ConfigText } from "./check.ts";
import { hostReader, type HostKeys } from "./host-keys.ts";
import { retiredKeys } from "./retired.ts";
import { mergeSchemas, readerOf, type ConfigReader, type TableNode } from "./schema.ts";
import { lineOfPath } from "./toml-map.ts";
import { wrongAt } from "./wrong-at.ts";

/** A file that was checked against everybody who reads it. */
export interface Configured {
  readonly host: HostKeys;
  /** Each plugin's part, by the plugin's name. */
  readonly parts: ReadonlyMap<string, unknown>;
  readonly schema: TableNode;
  /** Where each reader's part stands in the file. */
  readonly tables: ReadonlyMap<string, string>;
  /** What the file sets that the next minor release refuses. */
  readonly retired: readonly GantryError[];
}

/**
 * Checks the file against the host and these plugins, all errors at once; throws CONFIG_*.
 * `others` loads the bundled plugins that are not listed: asked only where a key is unknown, to say whose it is.
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
  const error = allOf([...earlier, ...unknown, ...problems.values(), ...wrongProviderIds(text)]);
  if (error) throw error;
  return {
    host: parts.get(hostReader.name) as HostKeys,
    parts,
    schema,
    tables: new Map(readers.map(({ name, table }) => [name, table])),
    retired: retiredKeys(text, schema),
  };
}

/** Where a plugin could not be loaded, nobody knows its keys. */
function judged(text: ConfigText, earlier: readonly GantryError[]): ConfigText {
  const { plugins_config: _, ...tree } = text.tree;
  return earlier.some(({ code }) => code.startsWith("PLUGIN_")) ? { ...text, tree } : text;
}

/** `custom:` and `messages-custom:` take an address with its scheme, wherever a provider is named. */
function wrongProviderIds(text: ConfigText): GantryError[] {
  const { default_provider, agent, reliability } = text.tree;
  const named: [string[], unknown][] = [
    [["default_provider"], default_provider],
    [["agent", "provider"], isTree(agent) ? agent["provider"] : undefined],
  ];
  const fallbacks = isTree(reliability) ? reliability["fallback_providers"] : undefined;
  if (Array.isArray(fallbacks))
    named.push(...fallbacks.map((id): [string[], unknown] => [["reliability", "fallback_providers"], id]));
  return named
    .filter(
      ([, id]) =>
        typeof id === "string" &&
        /^(?:messages-)?custom:(?!.*\$\{)/.test(id) &&
        !isAddress(id.slice(id.indexOf(":") + 1)),
    )
    .map(([path, id]) => {
      const why = `is wrong: ${errors.PROVIDER_URL(shownAddress(String(id))).message.slice(0, -1)}`;
      const line = lineOfPath(text.map, path);
      return wrongAt(path, errors.CONFIG_WRONG_TYPE(text.file, line, path.join("."), why));
    });
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
}
