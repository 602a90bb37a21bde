import { existsSync, readdirSync, readFileSync, writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { TSchema } from "typebox";
import { apiReport } from "./api-report.ts";
import { errors, type ErrorTable, type Plugin } from "@gantry/sdk";
import { cliErrors } from "@gantry/cli";
import { leaves } from "../host/cli/config/leaves.ts";
import { hostErrors } from "../host/errors.ts";
import { hostReader } from "../host/config/host-keys.ts";
import { isRecord, isTable, mergeSchemas, othersOf, readerOf, recordValue } from "../host/config/schema.ts";

const root = path.join(import.meta.dirname, "..");

/** Every bundled plugin, from source. */
export async function allPlugins(): Promise<readonly Plugin[]> {
  const names = readdirSync(path.join(root, "plugins")).filter((name) =>
    existsSync(path.join(root, "plugins", name, "index.ts")),
  );
  return Promise.all(
    names.map(
      async (name) =>
        ((await import(path.join(root, "plugins", name, "index.ts"))) as { default: Plugin }).default,
    ),
  );
}

/** The configuration reference, from the schemas. */
export function configReference(plugins: readonly Plugin[]): string {
  const schema = mergeSchemas([hostReader, ...plugins.flatMap((plugin) => readerOf(plugin) ?? [])]);
  const rows = [...leaves(schema)].flatMap(({ key, leaf }) =>
    keyRows(key, leaf.schema, [...leaf.owners].join(", ")),
  );
  return `# Configuration reference

Every key of \`config.toml\`, written by \`npm run reference\` from the schemas of the host and the bundled plugins.
Strings may hold \`\${NAME}\`, taken from the environment. Unknown keys and wrong types stop the start, with the line.

| key | type | default | meaning | read by |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

function keyRows(key: string, schema: TSchema, owners: string): string[] {
  const value = isRecord(schema) ? recordValue(schema) : undefined;
  if (value && isTable(value)) {
    const inner = Object.entries(value.properties as Record<string, TSchema>);
    const others = othersOf(value);
    if (others) inner.push([`<${String((others as { title?: string }).title)}>`, others]);
    return inner.flatMap(([name, child]) => keyRows(`${key}.<id>.${name}`, child, owners));
  }
  const { description = "", default: initial } = schema as { description?: string; default?: unknown };
  return [
    `| \`${key}\` | ${typeOf(schema)} | ${initial === undefined ? "" : `\`${JSON.stringify(initial)}\``} | ${cell(description)} | ${owners} |`,
  ];
}

function typeOf(schema: TSchema): string {
  const {
    type,
    anyOf,
    enum: words,
    const: word,
    items,
    minimum,
    maximum,
  } = schema as Record<string, unknown>;
  if (Array.isArray(anyOf)) return anyOf.map((one) => typeOf(one as TSchema)).join(" or ");
  if (Array.isArray(words)) return words.map((one) => `\`${String(one)}\``).join(" or ");
  if (word !== undefined) return `\`${String(word)}\``;
  if (type === "array") return `array of ${typeOf(items as TSchema)}`;
  const range =
    minimum === undefined && maximum === undefined
      ? ""
      : ` ${String(minimum ?? "")}…${String(maximum ?? "")}`;
  return `${String(type)}${range}`;
}

/** The error reference, from the tables of the sdk, the host and the plugins. */
export function errorReference(plugins: readonly Plugin[]): string {
  const tables: [string, ErrorTable][] = [
    ["sdk", errors],
    ["host", hostErrors],
    ["cli", cliErrors],
    ...plugins.flatMap((plugin): [string, ErrorTable][] =>
      plugin.errors ? [[plugin.name, plugin.errors]] : [],
    ),
  ];
  const rows = tables.flatMap(([owner, table]) =>
    Object.values(table).map(
      ({ code, text, exit }) => `| \`${code}\` | ${cell(text.replaceAll("%s", "…"))} | ${exit} | ${owner} |`,
    ),
  );
  return `# Error reference

Every code that Gantry can answer with, written by \`npm run reference\` from the tables in the code. A code once shipped is never given another meaning.
Exit codes: 0 done, 1 it failed, 2 wrong usage or configuration, 3 refused by policy, 130 interrupted.

| code | sentence | exit | from |
|---|---|---|---|
${rows.toSorted().join("\n")}
`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

if (import.meta.main) {
  const plugins = await allPlugins();
  const folder = path.join(root, "host/reference");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "config.md"), configReference(plugins));
  writeFileSync(path.join(folder, "errors.md"), errorReference(plugins));
  writeFileSync(path.join(root, "sdk/api.md"), apiReport());
  // Read once the report is written, which it goes by.
  const { withDoors } = await import("./page-doors.ts");
  const pages = path.join(root, "sdk/docs");
  for (const page of readdirSync(pages).map((name) => path.join(pages, name)))
    writeFileSync(page, withDoors(readFileSync(page, "utf8")));
}
