import path from "node:path";
import type { Plugin } from "@gantry/sdk";
import { beforeAll, expect, test } from "vitest";
import { hostReader } from "../host/config/host-keys.ts";
import { leaves } from "../host/cli/config/leaves.ts";
import { isRecord, isTable, mergeSchemas, readerOf, recordValue } from "../host/config/schema.ts";
import { pluginNames, root, sourcesIn, type Source } from "./helpers/sources.ts";

/** Each key as a test would have to write it: its own name, and the table around it. */
const keys: {
  readonly key: string;
  readonly name: string;
  readonly table: string;
  readonly owners: ReadonlySet<string>;
}[] = [];

beforeAll(async () => {
  const plugins = await Promise.all(
    pluginNames().map(
      async (name) =>
        ((await import(path.join(root, "plugins", name, "index.ts"))) as { default: Plugin }).default,
    ),
  );
  const schema = mergeSchemas([hostReader, ...plugins.flatMap((plugin) => readerOf(plugin) ?? [])]);
  for (const { key, leaf } of leaves(schema)) {
    const entry = isRecord(leaf.schema) ? recordValue(leaf.schema) : undefined;
    const names =
      entry && isTable(entry) ? Object.keys(entry.properties).map((name) => `${key}.<id>.${name}`) : [key];
    for (const full of names) {
      const parts = full.split(".").filter((part) => part !== "<id>");
      keys.push({ key: full, name: parts.at(-1) as string, table: parts.at(-2) ?? "", owners: leaf.owners });
    }
  }
});

test("CFG-07: every key of every bundled plugin is set by a test, beside the table it stands in", () => {
  const tests = sourcesIn("sdk", "host", "plugins", "test").filter(
    ({ file }) => /\.test(?:-kit)?\.ts$/.test(file) && !/config-keys|reference/.test(file),
  );
  // `table: { key: …` or `[table]⏎key = …` or the whole dotted key; beside the plugin that reads it
  // the table may stand elsewhere in the file.
  const isSet = ({ name, table, owners }: (typeof keys)[number]) => {
    const assigned = `(?<![\\w-])${name}["'\`]?(?:\\s*[:=](?!=)|\\s*[,}])`;
    const near = new RegExp(
      table === "" ? assigned : `(?<![\\w-])${table}\\b[^]{0,400}?${assigned}|\\b${table}\\.${name}\\b`,
    );
    const own = ({ file, text }: Source) =>
      owners.has(file.split("/")[1] ?? "") && text.includes(table) && new RegExp(assigned).test(text);
    return tests.some((source) => own(source) || near.test(source.text));
  };
  expect(keys.length).toBeGreaterThan(60);
  expect(keys.filter((key) => !isSet(key)).map(({ key }) => key)).toEqual([]);
});

test("CFG-07: every key is read by code of the plugin that declares it, and says what it means", async () => {
  const shipped = sourcesIn("host", "plugins", "sdk").filter(({ file }) => !/\.test[\w-]*\.ts$/.test(file));
  const unread = keys.filter(
    ({ name }) =>
      shipped.reduce(
        (count, { text }) => count + (text.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0),
        0,
      ) < 2,
  );
  expect(unread.map(({ key }) => key)).toEqual([]);
});
